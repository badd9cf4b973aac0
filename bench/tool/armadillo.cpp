// armadillo.cpp ROWS N D K SEED STARTS OUT: Armadillo's gmm_full on N x D doubles; writes weights, means and
// covariances of the best of STARTS, and prints the seconds of processor time from reading to the answer.
// Built by answer_peer.py where Armadillo is installed.
#include <armadillo>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

int main(int argc, char **argv)
{
    if (argc != 8)
        return 2;
    const arma::uword n = std::strtoull(argv[2], nullptr, 10), d = std::strtoull(argv[3], nullptr, 10);
    const arma::uword K = std::strtoull(argv[4], nullptr, 10);
    const std::clock_t began = std::clock();
    arma::mat rows(d, n);
    std::ifstream in(argv[1], std::ios::binary);
    if (!in.read(reinterpret_cast<char *>(rows.memptr()), static_cast<std::streamsize>(n * d * sizeof(double))))
        return 1;
    arma::arma_rng::set_seed(std::strtoull(argv[5], nullptr, 10));
    arma::gmm_full best;
    double reached = -arma::datum::inf;
    for (int s = 0; s < std::atoi(argv[6]); s++) {
        arma::gmm_full one;
        if (one.learn(rows, K, arma::maha_dist, arma::random_spread, 10, 300, 1e-6, false) && one.avg_log_p(rows) > reached) {
            reached = one.avg_log_p(rows);
            best = one;
        }
    }
    if (!(reached > -arma::datum::inf))
        return 1;
    const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    std::ofstream out(argv[7], std::ios::binary);
    const auto write = [&out](const double *p, arma::uword count) {
        out.write(reinterpret_cast<const char *>(p), static_cast<std::streamsize>(count * sizeof(double)));
    };
    write(best.hefts.memptr(), K);
    write(best.means.memptr(), K * d);
    write(best.fcovs.memptr(), K * d * d);
    std::printf("%.6f\n", seconds);
    return out.good() ? 0 : 1;
}
