"""Written by python/stubs.py from the library's lists of models and options."""
from typing import Any, Optional, Union

from . import _estimators

__all__ = ['BayesianFactorAnalysis', 'BayesianGaussianMixture', 'BayesianLinearRegression', 'BayesianLogisticRegression', 'BayesianMixture', 'BayesianPoissonRegression', 'HiddenMarkovModel', 'HierarchicalRegression', 'LatentClassMixture', 'LatentDirichletAllocation', 'RegressionMixture', 'RobustMixture', 'StructuralTimeSeries']


class BayesianFactorAnalysis(_estimators.Factors):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 n_components: int = ..., noise: str = ..., prior: Any = ...,
                 prior_a0: Union[float, str] = ..., prior_b0: Union[float, str] = ..., missing: Any = ...,
                 algorithm: str = ...) -> None: ...


class BayesianGaussianMixture(_estimators.BayesianGaussianMixture):
    def __init__(self, *, n_components: int = ..., covariance_type: str = ..., tol: float = ...,
                 reg_covar: float = ..., max_iter: Union[float, str] = ..., n_init: Union[float, str] = ...,
                 init_params: str = ..., weight_concentration_prior_type: str = ...,
                 weight_concentration_prior: Optional[Union[float, str]] = ...,
                 mean_precision_prior: Optional[Union[float, str]] = ..., mean_prior: Any = ...,
                 degrees_of_freedom_prior: Optional[Union[float, str]] = ..., covariance_prior: Any = ...,
                 random_state: Any = ..., warm_start: bool = ..., verbose: int = ...,
                 verbose_interval: int = ..., missing: Any = ..., algorithm: str = ...) -> None: ...


class BayesianLinearRegression(_estimators.Regression):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 formula: Any = ..., coding: str = ..., fit_intercept: bool = ..., prior: Any = ...,
                 alpha_1: Union[float, str] = ..., alpha_2: Union[float, str] = ..., prior_m0: Any = ...,
                 prior_lambda0: Any = ..., linreg_relevance: bool = ..., algorithm: str = ...) -> None: ...


class BayesianLogisticRegression(_estimators.Classification):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 formula: Any = ..., coding: str = ..., fit_intercept: bool = ..., offset_column: Any = ...,
                 exposure_column: Any = ..., prior: Any = ..., prior_m0: Any = ...,
                 prior_lambda0: Any = ..., algorithm: str = ...) -> None: ...


class BayesianMixture(_estimators.Mixture):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 n_components: int = ..., covariance_type: str = ...,
                 weight_concentration_prior_type: str = ..., prior: Any = ...,
                 weight_concentration_prior: Union[float, str] = ...,
                 mean_precision_prior: Union[float, str] = ..., mean_prior: Any = ...,
                 degrees_of_freedom_prior: Union[float, str] = ..., covariance_prior: Any = ...,
                 missing: Any = ..., algorithm: str = ...) -> None: ...


class BayesianPoissonRegression(_estimators.BayesianPoissonRegression):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 formula: Any = ..., coding: str = ..., fit_intercept: bool = ..., offset_column: Any = ...,
                 exposure_column: Any = ..., prior: Any = ..., prior_m0: Any = ...,
                 prior_lambda0: Any = ..., algorithm: str = ...) -> None: ...


class HiddenMarkovModel(_estimators.Sequences):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 n_components: int = ..., emission: str = ..., covariance_type: str = ..., prior: Any = ...,
                 weight_concentration_prior: Union[float, str] = ...,
                 mean_precision_prior: Union[float, str] = ..., mean_prior: Any = ...,
                 degrees_of_freedom_prior: Union[float, str] = ..., covariance_prior: Any = ...,
                 prior_a0: Union[float, str] = ..., prior_share0: Union[float, str] = ...,
                 prior_transitions: Union[float, str] = ..., prior_stay: float = ..., missing: Any = ...,
                 algorithm: str = ...) -> None: ...


class HierarchicalRegression(_estimators.GroupedRegression):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 formula: Any = ..., coding: str = ..., mixed_varying: Any = ..., fit_intercept: bool = ...,
                 prior: Any = ..., prior_a0: Union[float, str] = ..., prior_b0: Union[float, str] = ...,
                 prior_m0: Any = ..., prior_lambda0: Any = ..., prior_nu0: Union[float, str] = ...,
                 prior_w0: Union[float, str] = ..., groups: Any = ..., algorithm: str = ...) -> None: ...


class LatentClassMixture(_estimators.Mixture):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 n_components: int = ..., weight_concentration_prior_type: str = ..., prior: Any = ...,
                 weight_concentration_prior: Union[float, str] = ...,
                 mean_precision_prior: Union[float, str] = ...,
                 degrees_of_freedom_prior: Union[float, str] = ..., prior_a0: Union[float, str] = ...,
                 prior_share0: Union[float, str] = ..., missing: Any = ..., algorithm: str = ...) -> None: ...


class LatentDirichletAllocation(_estimators.Topics):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 n_components: int = ..., prior: Any = ..., doc_topic_prior: Union[float, str] = ...,
                 topic_word_prior: Union[float, str] = ..., algorithm: str = ...) -> None: ...


class RegressionMixture(_estimators.Regression):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 formula: Any = ..., coding: str = ..., n_components: int = ..., fit_intercept: bool = ...,
                 prior: Any = ..., prior_alpha0: Union[float, str] = ..., prior_a0: Union[float, str] = ...,
                 prior_b0: Union[float, str] = ..., prior_m0: Any = ..., prior_lambda0: Any = ...,
                 algorithm: str = ...) -> None: ...


class RobustMixture(_estimators.Mixture):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 n_components: int = ..., covariance_type: str = ..., tmm_dof: str = ...,
                 tmm_trim: float = ..., weight_concentration_prior_type: str = ..., prior: Any = ...,
                 weight_concentration_prior: Union[float, str] = ...,
                 mean_precision_prior: Union[float, str] = ..., mean_prior: Any = ...,
                 degrees_of_freedom_prior: Union[float, str] = ..., covariance_prior: Any = ...,
                 missing: Any = ..., algorithm: str = ...) -> None: ...


class StructuralTimeSeries(_estimators.GroupedRegression):
    def __init__(self, *, random_state: Any = ..., init_params: str = ..., n_init: Union[float, str] = ...,
                 prefer: str = ..., prune: bool = ..., accelerate: str = ...,
                 max_iter: Union[float, str] = ..., tol: float = ..., stop: str = ...,
                 standardize: bool = ..., precision: str = ..., n_jobs: Optional[int] = ...,
                 deal: str = ..., weights: Any = ..., loss: float = ..., loss_directed: float = ...,
                 silent: float = ..., delay: int = ..., send: str = ..., on_domain: str = ...,
                 formula: Any = ..., coding: str = ..., structural_trend: bool = ...,
                 structural_season: str = ..., prior: Any = ..., prior_a0: Union[float, str] = ...,
                 prior_b0: Union[float, str] = ..., groups: Any = ..., algorithm: str = ...) -> None: ...
