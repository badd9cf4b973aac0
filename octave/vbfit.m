% VBFIT  Fits a model by variational Bayes, on one machine or over a network.
%   p = vbfit(x)                                  a mixture of two Gaussians
%   p = vbfit(x, 'n-components', 3, 'network', 'ring:n=10', 'algorithm', 'dsvb')
%   p = vbfit(x, 'y', y, 'model', 'linreg')
%   p = vbfit(x, 'model', 'lca', 'columns', {'age', 'smokes'}, 'kinds', {'number', 'category(no|yes)'})
%   [p, text] = vbfit(...)                        text: JSON, as the program's files have it
%   x: rows, NaN where a value of a mixture is missing. Then names and values: arrays 'y', 'sample_weight',
%   'group', 'node' (from 0); cell arrays 'columns', 'targets', 'kinds' ('number', 'count', 'flag' or
%   'category(a|b)', whose words are numbers from 0); 'model', 'network', 'algorithm'; and the options of
%   `meshbayes help fit`.
%   p: a structure with verdict, bound, rounds, means, covariances, .. as docs/formats.md describes them.
function [p, text] = vbfit(x, varargin)
  if nargin < 1 || ~(isnumeric(x) || islogical(x))
    error('meshbayes:error', 'x: expected a matrix of numbers, a row of it for each row; see help vbfit');
  end
  if any(strcmp(varargin(1:2:end), 'node')) && ~any(strcmp(varargin(1:2:end), 'network'))
    error('meshbayes:error', 'node: got the node of each row; expected a network, too');
  end
  numbers = cellfun(@(v) numel(v) ~= 1 && (isnumeric(v) || islogical(v)), varargin);
  varargin(numbers) = cellfun(@(v) full(double(v)), varargin(numbers), 'UniformOutput', false);
  text = meshbayes(full(double(x)), varargin{:});
  p = jsondecode(text);
end
