% VBFIT  Fits a model by variational Bayes, on one machine or over a network.
%   p = vbfit(x)                                  a mixture of two Gaussians
%   p = vbfit(x, 'n-components', 3, 'network', 'ring:n=10', 'algorithm', 'dsvb')
%   p = vbfit(x, 'y', y, 'model', 'linreg')
%   [p, text] = vbfit(...)                        text: JSON, as the program's files have it
%   x: rows, NaN where a value of a mixture is missing. Then names and values: arrays 'y', 'sample_weight',
%   'group', 'node' (from 0); 'model', 'network', 'algorithm'; and the options of `meshbayes help fit`.
%   p: a structure with verdict, bound, rounds, means, covariances, .. as docs/formats.md describes them.
function [p, text] = vbfit(x, varargin)
  text = meshbayes(double(x), varargin{:});
  p = jsondecode(text);
end
