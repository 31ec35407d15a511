#!/bin/bash
# A cluster of Slurm on one machine: a head and three nodes, each with a mount, network, host
# name, PID and time namespace, whose addresses exist nowhere else. As root.
#
#   cluster.sh head BASE          the first process in namespaces of its own; all ends with it,
#                                 and it with its standard input. Status 77: the machine does
#                                 not allow it
#   cluster.sh node BASE NAME     a node's first process, which the head starts
#
# BASE is a folder that head and nodes share, outside of /tmp, which each node has for itself.
set -eEu
role=$1 base=$2
export SLURM_CONF=$base/etc/slurm.conf

# mine mounts folders that nobody else sees.
mine() {
	local folder
	for folder in "$@"; do
		mount -t tmpfs -o mode=1777 none "$folder"
	done
}

first() {
	local i=0 name
	trap 'exit 77' ERR
	mount --make-rprivate /
	mount -t proc proc /proc
	for name in passwd group hosts; do mount --bind "$base/etc/$name" "/etc/$name"; done
	mine /run /dev/shm
	mkdir /run/munge /run/netns
	chmod 755 /run /run/munge
	hostname head
	ip link set lo up
	ip link add br0 type bridge
	ip address add 10.77.0.1/24 dev br0
	ip link set br0 up
	for name in n1 n2 n3; do
		i=$((i + 1))
		ip netns add $name
		ip link add v$name type veth peer name eth0 netns $name
		ip link set v$name master br0 up
		ip -n $name link set lo up
		ip -n $name address add 10.77.0.1$i/24 dev eth0
		ip -n $name link set eth0 up
	done
	for i in {0..15}; do mknod -m 666 "/run/gpu$i" c 1 3; done # not one of them is opened
	head -c 64 /dev/urandom >/run/munge/key
	chmod 600 /run/munge/key
	chown -R munge: /run/munge
	setpriv --reuid munge --regid munge --clear-groups \
		munged --key-file=/run/munge/key --log-file=/run/munge/log --seed-file=/run/munge/seed --pid-file=/run/munge/pid
	slurmctld
	i=0
	for name in n1 n2 n3; do
		# Not ip netns exec, which mounts /sys anew, without the control groups that slurmd asks for.
		nsenter --net=/run/netns/$name unshare --mount --uts --pid --fork --mount-proc --time --monotonic $((i * 7000)) --boottime $((i * 7000)) \
			"$base/cluster.sh" node "$base" $name >"$base/log/$name" 2>&1 </dev/null &
		i=$((i + 1))
	done
	read -r _ || true
}

node() {
	hostname "$1"
	cat /proc/sys/kernel/random/uuid >"/run/boot-$1"
	mount --bind "/run/boot-$1" /proc/sys/kernel/random/boot_id
	mine /tmp /dev/shm /var/spool
	mkdir /var/spool/slurmd
	slurmd
	while :; do sleep 60; done
}

case $role in
head) first ;;
node) node "$3" ;;
esac
