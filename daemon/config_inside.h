/* config_inside.h - what the files that read a configuration share. */
#ifndef MB_DAEMON_CONFIG_INSIDE_H
#define MB_DAEMON_CONFIG_INSIDE_H

#include "config.h"

/* config_field.c: a count of at most `most`, at least `least`; absent: def. */
int64_t node_count_of(mb_json_in *j, const mb_json *o, const char *key, int64_t least, int64_t most,
                      int64_t def);
/* A number from `least` to `most`; absent: def. */
double node_real_of(mb_json_in *j, const mb_json *o, const char *key, double least, double most,
                    double def);
/* true or false; absent: 0. */
int32_t node_flag_of(mb_json_in *j, const mb_json *o, const char *key);
/* A file or folder that the configuration names; absent: NULL. */
mb_status node_path_of(mb_arena *a, mb_json_in *j, const mb_json *o, const char *key,
                       const node_config *c, const char **out) MB_CHECKED;

/* config_links.c: 1: the node listens on loopback, and so do the neighbours that it connects to. */
int       node_is_local(const node_config *c);
mb_status node_neighbours_of(mb_arena *a, mb_json_in *j, const mb_json *o,
                             node_config *c) MB_CHECKED;
/* Keys that are revoked. */
mb_status node_revoked_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c) MB_CHECKED;
/* config_sound.c: what no node can do, although each field is as it may be. */
mb_status node_config_sound(mb_json_in *j, const node_config *c) MB_CHECKED;
/* config_rows.c: where the rows come from and how long they stay. */
mb_status node_rows_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c) MB_CHECKED;
/* config_status.c: where the status is served, and to whom. */
mb_status node_access_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c) MB_CHECKED;
/* config_model.c: the plan, and the block if one is given. Needs the weight column. */
mb_status node_plan_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c,
                       mb_genesis *given) MB_CHECKED;
/* config_privacy.c: refuses a promise in an object of node.json. */
void node_no_privacy(mb_json_in *j, const mb_json *o);
/* config_privacy.c: what a release needs; NOSUP elsewhere. Needs all else. */
mb_status node_privacy_of(mb_arena *a, mb_json_in *j, const mb_json *o, node_config *c) MB_CHECKED;
/* config_mask.c: whether the node masks its sums. Needs all else. */
mb_status node_mask_of(mb_json_in *j, const mb_json *o, const mb_genesis *given,
                       node_config *c) MB_CHECKED;

#endif
