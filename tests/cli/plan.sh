#!/bin/sh
# ireneo plan: what the cost model says, and that it says no to what makes no sense.
. "$(dirname "$0")/../support/cli.sh"

run 0 plan --dim 200 --facts 3708 --nodes 1,2,3,4 --json
holds "one row a number of nodes" "[t['nodes'] for t in r['table']] == [1, 2, 3, 4]"
holds "one node sends nothing" "r['table'][0]['bytes_sent'] == 0"
# Two ranks: each gives half of its sum to the other, and half of the result. d^2 floats, both ways, and sums of searches.
holds "two ranks send the matrix twice" "0 <= r['table'][1]['bytes_sent_iteration'] - 2 * 4 * 200**2 < 2000"
# Four: six times. Three: 16 groups as 5, 5 and 6, which fill 4 + 1, 1 + 2 + 2 and 2 + 4, seven subtrees: (7 + 3) 2 / 3 times.
holds "four ranks" "0 <= r['table'][3]['bytes_sent_iteration'] - 6 * 4 * 200**2 < 6000"
holds "three ranks" "0 <= r['table'][2]['bytes_sent_iteration'] - 20 / 3 * 4 * 200**2 < 6000"
holds "three ranks wait for six groups of 16" "abs(r['table'][2]['busiest'] - 3 * 6 / 16) < 0.01"
holds "the parts make the whole" "all(abs(t['seconds'] - t['seconds_prepare'] - r['scans'] * t['seconds_scan'] - r['checks'] * t['seconds_check'] - r['iterations'] * t['seconds_iteration']) < 1e-9 * t['seconds'] for t in r['table'])"
holds "and so for bytes" "all(abs(t['bytes_sent'] - t['bytes_sent_prepare'] - r['scans'] * t['bytes_sent_scan'] - r['checks'] * t['bytes_sent_check'] - r['iterations'] * t['bytes_sent_iteration']) <= 1 for t in r['table'])"

# Facts by the law; a slow network is the limit sooner; more nodes take less memory each, but never less than the values.
run 0 plan --dim 4096 --json
holds "0.95 of the law" "820000 < r['facts'] < 826000 and r['facts'] == r['candidates']"
holds "more nodes are faster" "[t['seconds'] for t in r['table']] == sorted((t['seconds'] for t in r['table']), reverse=True)"
holds "less memory each" "[t['ram_bytes_per_node'] for t in r['table']] == sorted((t['ram_bytes_per_node'] for t in r['table']), reverse=True)"
holds "values are on every node" "r['table'][-1]['ram_bytes_per_node'] > 19 * r['candidates'] * 4096"
fast=$(number network_limit_nodes)
run 0 plan --dim 4096 --network 0.01 --json
slow=$(number network_limit_nodes)
"$python" -c "import sys; a, b = (float('inf') if t in ('None', 'inf') else float(t) for t in sys.argv[1:]); sys.exit(not a < b)" "$slow" "$fast" ||
    fault "the limit is $slow nodes with a slow network and $fast with a fast one"
# Several ranks of a node send more than one.
run 0 plan --dim 1000 --nodes 8 --json
one=$(report "r['table'][0]['bytes_sent_iteration']")
run 0 plan --dim 1000 --nodes 8 --ranks 2 --json
holds "two ranks a node send more" "r['table'][0]['ranks'] == 16 and r['table'][0]['bytes_sent_iteration'] > 2 * $one"
expect 0 "RAM a node" plan --dim-in 100 --dim-out 50 --facts 300 --nodes 1:4:4

refuse 2 "give --dim" plan
refuse 2 "not both" plan --dim 10 --dim-in 4
refuse 2 "exclude each other" plan --dim 10 --facts 5 --share 0.5
refuse 2 "16 groups, too few for 64 ranks" plan --dim 100
refuse 2 "nodes" plan --dim 100 --nodes 1,x
refuse 2 "nodes" plan --dim 100 --nodes 0
refuse 2 "holds no fact" plan --dim 1 --share 0.001
refuse 2 "ranks" plan --dim 100 --nodes 1 --ranks 0
finish "plan: as counted by hand"
