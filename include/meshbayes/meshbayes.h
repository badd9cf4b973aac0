/* meshbayes/meshbayes.h - umbrella header. */
#ifndef MESHBAYES_MESHBAYES_H
#define MESHBAYES_MESHBAYES_H

#include "meshbayes/algo.h"
#include "meshbayes/base.h"
#include "meshbayes/checkpoint.h"
#include "meshbayes/data.h"
#include "meshbayes/expfam.h"
#include "meshbayes/file.h"
#include "meshbayes/fit.h"
#include "meshbayes/genesis.h"
#include "meshbayes/genesis_file.h"
#include "meshbayes/graph.h"
#include "meshbayes/json.h"
#include "meshbayes/kind.h"
#include "meshbayes/model.h"
#include "meshbayes/network.h"
#include "meshbayes/num.h"
#include "meshbayes/observe.h"
#include "meshbayes/opt.h"
#include "meshbayes/peer.h"
#include "meshbayes/peer_file.h"
#include "meshbayes/pool.h"
#include "meshbayes/posterior.h"
#include "meshbayes/posterior_file.h"
#include "meshbayes/record.h"
#include "meshbayes/run.h"
#include "meshbayes/start.h"
#include "meshbayes/table.h"
#include "meshbayes/transport.h"
#include "meshbayes/virtual.h"

#endif
