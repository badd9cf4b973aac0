% odd.m - what vbfit takes that is no full matrix of doubles, and what it says of the rest.
1;
function refuses(words, varargin)
  try
    vbfit(varargin{:});
  catch e
    assert(! isempty(strfind(e.message, words)), '"%s" does not say "%s"', e.message, words);
    return
  end
  error('it takes what it is to refuse with "%s"', words);
end

x = [sin(1:60)' cos(3 * (1:60))' + 9 * mod(1:60, 2)'];
p = vbfit(x, 'seed', 3);
for other = {sparse(x), single(x), num2cell(x)}
  if iscell(other{1})
    refuses('expected a matrix of numbers', other{1})
  else
    assert(vbfit(other{1}, 'seed', int8(3)).means, p.means, 1e-5)
  end
end
y = int32(10 * x(:, 1));
assert(vbfit(x, 'model', 'linreg', 'y', y).coef, vbfit(x, 'model', 'linreg', 'y', double(y)).coef)
assert(vbfit(x, 'columns', {'length', 'wide'}).features, {'length'; 'wide'})
refuses('expected a matrix of numbers')
refuses('expected a matrix of numbers', 'abc')
refuses('expected a full matrix of doubles', zeros(3, 2, 2))
refuses('expected a full matrix of doubles', complex(x, x))
refuses('columns: expected a cell array of texts', x, 'columns', {'a', 3})
refuses('n-components: expected a text, a number', x, 'n-components', struct('a', 1))
refuses('node: got the node of each row; expected a network, too', x, 'node', zeros(60, 1))
refuses('here it is row 7', [x(1:6, :); Inf 0])
