/* scorer.js - the order of what Sphinx's search finds: how-tos first, decisions and parts of types last. Without `score`
 * the numbers are Sphinx's own. */
var Scorer = {
  score: ([page, , , what, score]) =>
    score + (/^(docs\/(howto|from|tracks|models)|gallery)/.test(page) ? 3 : 0) - (page.startsWith("docs/adr/") ? 11 : 0) -
    (/\b(enumerator|member|parameter)\b/.test(what || "") ? 12 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
