/**
 * Files that say what the machine is: its system, processor and memory. They hold nothing of the user's, programs print the
 * same (`uname -a`, `lscpu`, `free`), and reading them is free anywhere.
 */
export const machineFacts: ReadonlySet<string> = new Set([
  ...[
    '/etc/os-release',
    '/usr/lib/os-release',
    '/etc/lsb-release',
    '/etc/debian_version',
    '/etc/alpine-release',
  ],
  ...['/etc/redhat-release', '/etc/fedora-release', '/usr/lib/fedora-release', '/etc/arch-release'],
  ...['/proc/cpuinfo', '/proc/meminfo', '/proc/version', '/proc/loadavg', '/proc/uptime'],
]);
