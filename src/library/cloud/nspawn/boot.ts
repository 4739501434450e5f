// Booting and ending a machine. systemd-nspawn runs beside the program that started it, in a control group of the machine, so that all its
// processes are known.
import type { Host } from '../../../sdk/mod.ts'
import { must, succeeds } from './commands.ts'
import type { StoredMachine } from './stored.ts'

/**
 * The cgroup hierarchies in which systemd keeps its units: one on a current host, two with both cgroup versions
 * mounted.
 */
const GROUPS = ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup/unified']
const ONE_GROUP = '/sys/fs/cgroup'

/** The kernel limits interface names to 15 characters, of which nspawn uses three. */
const labelOf = ({ token }: StoredMachine): string => `sc${token.slice(0, 10)}`

/** Join the groups, then become the program. */
const JOIN =
  'for group in $1; do mkdir -p "$group" && echo $$ > "$group/cgroup.procs" || exit 1; done; shift; exec "$@"'

/** Kill all processes of cgroups and remove the cgroups, until none is left. */
const EMPTY = `for try in $(seq 600); do
  left=
  for group in "$@"; do
    [ -d "$group" ] || continue
    left=1
    find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null | grep -vx 0 | xargs -r kill -9 2>/dev/null
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
  done
  [ -z "$left" ] && exit 0
  sleep 0.1
done
exit 1`

export class Boots {
  private readonly host: Host
  private readonly bridge: string

  constructor(host: Host, bridge: string) {
    this.host = host
    this.bridge = bridge
  }

  async start(machine: StoredMachine, folder: string): Promise<void> {
    const label = labelOf(machine)
    await this.host.start({
      argv: [
        ...['setsid', 'sh', '-c', JOIN, 'sh', (await this.groups(machine)).join(' ')],
        ...['systemd-nspawn', `--directory=${folder}`, `--machine=${label}`, `--hostname=${machine.name}`],
        ...['--boot', '--register=no', '--keep-unit', '--console=pipe', '--resolv-conf=off', '--timezone=off'],
        ...['--link-journal=no', `--network-bridge=${this.bridge}`],
      ],
    })
  }

  private async groups(machine: StoredMachine): Promise<string[]> {
    const mixed: string[] = []
    for (const group of GROUPS) if ((await this.host.stat(group)) !== undefined) mixed.push(group)
    return (mixed.length > 0 ? mixed : [ONE_GROUP]).map((group) => `${group}/brine-cloud-${labelOf(machine)}`)
  }

  /** Find the init of the machine: the child of its nspawn that has become systemd. */
  async init(machine: StoredMachine): Promise<Pick<StoredMachine, 'init' | 'started'> | undefined> {
    const { stdout } = await this.host.run({
      argv: ['ps', '-A', '-o', 'pid=,ppid=,comm=,args='],
      timeout: 30,
      maxOutput: 1 << 22,
    })
    const rows = new TextDecoder()
      .decode(stdout)
      .split('\n')
      .map((row) => row.trim().split(/\s+/))
    const isOwn = (row: string[]): boolean =>
      row[2] === 'systemd-nspawn' && row.includes(`--machine=${labelOf(machine)}`)
    const parent = rows.find(isOwn)?.[0]
    const child = rows.find(([, ppid, name]) => ppid === parent && name === 'systemd')?.[0]
    if (parent === undefined || child === undefined) return undefined
    const started = await this.startOf(Number(child))
    return started === undefined ? undefined : { init: Number(child), started }
  }

  private async startOf(pid: number): Promise<string | undefined> {
    if ((await this.host.stat(`/proc/${pid}`)) === undefined) return undefined
    const stat = new TextDecoder('latin1').decode(await this.host.read(`/proc/${pid}/stat`))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // a process that has ended may wait for ever until its parent looks
    return /^[ZX]/.test(fields[0]!) ? undefined : fields[19]
  }

  async isRunning({ init, started }: StoredMachine): Promise<boolean> {
    return init > 0 && (await this.startOf(init)) === started
  }

  /** Give the machine its address. */
  async address({ init }: StoredMachine, address: string): Promise<void> {
    const enter = ['nsenter', '-t', String(init), '--net', 'ip']
    await must(this.host, [...enter, 'address', 'replace', address, 'dev', 'host0'])
    await must(this.host, [...enter, 'link', 'set', 'host0', 'up'])
  }

  /** Look whether systemd has started everything. */
  async booted({ init }: StoredMachine): Promise<true | undefined> {
    const argv = ['nsenter', '-t', String(init), '-a', 'systemctl', 'is-system-running']
    const { stdout } = await this.host.run({ argv, timeout: 30, maxOutput: 1 << 12 })
    return /^(running|degraded)/.test(new TextDecoder().decode(stdout)) ? true : undefined
  }

  /** End the machine at once, with all its processes. */
  async stop(machine: StoredMachine): Promise<void> {
    if (await this.isRunning(machine)) await succeeds(this.host, ['kill', '-9', String(machine.init)])
    await must(this.host, ['sh', '-c', EMPTY, 'sh', ...(await this.groups(machine))])
  }
}
