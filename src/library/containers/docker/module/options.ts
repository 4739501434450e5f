// Options of containers: the names in Salt, and the flags of `docker create` with the same meaning.
import { lookup } from '../../../../base/mod.ts'
import { isDict, isList, shlexSplit, str, truthy, type Value } from '../../../../data/mod.ts'

type Shape = 'text' | 'switch' | 'list' | 'pairs'

/** Flag, how its value is written, names of the option. */
const OPTIONS: readonly (readonly [flag: string, shape: Shape, names: string])[] = [
  ['--blkio-weight', 'text', 'blkio_weight'],
  ['--cap-add', 'list', 'cap_add'],
  ['--cap-drop', 'list', 'cap_drop'],
  ['--cgroup-parent', 'text', 'cgroup_parent'],
  ['--cpu-period', 'text', 'cpu_period'],
  ['--cpu-quota', 'text', 'cpu_quota'],
  ['--cpu-shares', 'text', 'cpu_shares'],
  ['--cpuset-cpus', 'text', 'cpuset_cpus cpuset'],
  ['--cpuset-mems', 'text', 'cpuset_mems'],
  ['--device', 'list', 'devices device'],
  ['--device-read-bps', 'list', 'device_read_bps'],
  ['--device-read-iops', 'list', 'device_read_iops'],
  ['--device-write-bps', 'list', 'device_write_bps'],
  ['--device-write-iops', 'list', 'device_write_iops'],
  ['--dns', 'list', 'dns'],
  ['--dns-option', 'list', 'dns_opt'],
  ['--dns-search', 'list', 'dns_search'],
  ['--domainname', 'text', 'domainname'],
  ['--env', 'pairs', 'environment env'],
  ['--expose', 'list', 'ports'],
  ['--group-add', 'list', 'group_add'],
  ['--hostname', 'text', 'hostname'],
  ['--init', 'switch', 'init'],
  ['--interactive', 'switch', 'stdin_open interactive'],
  ['--ipc', 'text', 'ipc_mode ipc'],
  ['--isolation', 'text', 'isolation'],
  ['--label', 'pairs', 'labels label'],
  ['--log-driver', 'text', 'log_driver'],
  ['--log-opt', 'pairs', 'log_opt'],
  ['--mac-address', 'text', 'mac_address'],
  ['--memory', 'text', 'mem_limit memory'],
  ['--memory-swap', 'text', 'memswap_limit memory_swap'],
  ['--memory-swappiness', 'text', 'mem_swappiness memory_swappiness'],
  ['--network', 'text', 'network_mode'],
  ['--oom-kill-disable', 'switch', 'oom_kill_disable'],
  ['--oom-score-adj', 'text', 'oom_score_adj'],
  ['--pid', 'text', 'pid_mode pid'],
  ['--pids-limit', 'text', 'pids_limit'],
  ['--privileged', 'switch', 'privileged'],
  ['--publish-all', 'switch', 'publish_all_ports publish_all'],
  ['--read-only', 'switch', 'read_only'],
  ['--rm', 'switch', 'auto_remove rm'],
  ['--runtime', 'text', 'runtime'],
  ['--security-opt', 'list', 'security_opt'],
  ['--shm-size', 'text', 'shm_size'],
  ['--stop-signal', 'text', 'stop_signal'],
  ['--stop-timeout', 'text', 'stop_timeout'],
  ['--storage-opt', 'pairs', 'storage_opt'],
  ['--sysctl', 'pairs', 'sysctls sysctl'],
  ['--tty', 'switch', 'tty'],
  ['--ulimit', 'list', 'ulimits ulimit'],
  ['--user', 'text', 'user'],
  ['--userns', 'text', 'userns_mode user_ns_mode'],
  ['--uts', 'text', 'uts_mode'],
  ['--volume', 'list', 'binds bind'],
  ['--volume', 'list', 'volumes volume'],
  ['--volume-driver', 'text', 'volume_driver'],
  ['--volumes-from', 'list', 'volumes_from'],
  ['--workdir', 'text', 'working_dir workdir'],
]

/** Return the texts of a list, of a text with commas, or of a single value. */
export function listed(value: Value): string[] {
  if (isList(value)) return value.map(str)
  return typeof value === 'string' ? value.split(',').map((part) => part.trim()) : [str(value)]
}

/** Return the entries of a dict, or of a list of dicts. */
function entries(value: Value): [Value, Value][] {
  if (isDict(value)) return [...value]
  return isList(value) ? value.flatMap((item) => (isDict(item) ? [...item] : [])) : []
}

/** Return `KEY=value` for each entry of a dict; texts unchanged. */
function pairs(value: Value): string[] {
  const named = entries(value)
  if (named.length > 0) return named.map(([key, inner]) => `${str(key)}=${inner === null ? '' : str(inner)}`)
  return listed(value)
}

function flagged(flag: string, shape: Shape, value: Value): string[] {
  if (shape === 'switch') return [`${flag}=${truthy(value)}`]
  if (shape === 'text') return [`${flag}=${str(value)}`]
  return (shape === 'pairs' ? pairs(value) : listed(value)).map((item) => `${flag}=${item}`)
}

/** Return flags for `8080:80`, or for dicts of the container's port to the host's. */
function published(value: Value): string[] {
  const named = entries(value)
  const texts = named.length > 0 ? named.map(([inner, outer]) => `${str(outer)}:${str(inner)}`) : listed(value)
  return texts.map((text) => `--publish=${text}`)
}

function linked(value: Value): string[] {
  const named = entries(value)
  const texts = named.length > 0 ? named.map(([container, alias]) => `${str(container)}:${str(alias)}`) : listed(value)
  return texts.map((text) => `--link=${text}`)
}

function hosts(value: Value): string[] {
  const named = entries(value)
  return (named.length > 0 ? named.map(([name, ip]) => `${str(name)}:${str(ip)}`) : listed(value)).map(
    (text) => `--add-host=${text}`,
  )
}

function restarted(value: Value): string[] {
  if (!isDict(value)) return [`--restart=${str(value)}`]
  const count = value.get('MaximumRetryCount') ?? 0
  return [`--restart=${str(value.get('Name') ?? 'no')}${truthy(count) ? `:${str(count)}` : ''}`]
}

const temporary = (value: Value): string[] => {
  const named = entries(value)
  return (named.length > 0 ? named.map(([path, options]) => `${str(path)}:${str(options)}`) : listed(value)).map(
    (text) => `--tmpfs=${text}`,
  )
}

const SPECIAL: Readonly<Record<string, (value: Value) => string[]>> = lookup({
  port_bindings: published,
  publish: published,
  links: linked,
  link: linked,
  extra_hosts: hosts,
  add_host: hosts,
  restart_policy: restarted,
  restart: restarted,
  tmpfs: temporary,
})

const WORDS = ['command', 'cmd', 'entrypoint']

/** Return the words of a command, which is a text or a list. */
const commandWords = (value: Value): string[] => (isList(value) ? value.map(str) : shlexSplit(str(value)))

export interface CreateWords {
  flags: string[]
  /** After the image. */
  command: string[]
  unknown: string[]
}

/** Return the words of `docker create` for options by name, without the options that are None. */
export function createWords(options: ReadonlyMap<string, Value>): CreateWords {
  const flags: string[] = []
  const unknown: string[] = []
  for (const [name, value] of options) {
    if (value === null || name.startsWith('__') || WORDS.includes(name)) continue
    const special = SPECIAL[name]
    const known = OPTIONS.find(([, , names]) => names.split(' ').includes(name))
    if (special) flags.push(...special(value))
    else if (known) flags.push(...flagged(known[0], known[1], value))
    else unknown.push(name)
  }
  const entrypoint = options.get('entrypoint') ?? null
  const command = options.get('command') ?? options.get('cmd') ?? null
  const [first, ...rest] = entrypoint === null ? [] : commandWords(entrypoint)
  if (first !== undefined) flags.push(`--entrypoint=${first}`)
  return { flags, command: [...rest, ...(command === null ? [] : commandWords(command))], unknown: unknown.sort() }
}
