// Parsers of the files of /proc.
import {
  type Dict,
  dictFrom,
  float,
  floatFromText,
  splitLines,
  splitWords,
  strip,
  type Value,
} from '../../../../data/mod.ts'

/** Return an int for digits, a float for other numbers, else the text. */
export function numberIn(text: string): Value {
  if (/^\d+$/.test(text)) return Number(text)
  return /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text) ? floatFromText(text) : text
}

const rows = (text: string): string[][] =>
  splitLines(text)
    .map((line) => splitWords(line))
    .filter((words) => words.length > 0)

export function loadAverages(text: string): Record<string, Value> {
  const [one, five, fifteen] = splitWords(text).map((word) => float(Number(word)))
  return { '1-min': one!, '5-min': five!, '15-min': fifteen! }
}

export function memory(text: string): Dict {
  const found: Dict = new Map()
  for (const [name, value, unit] of rows(text)) {
    const entry: Dict = new Map([['value', value!]])
    if (unit !== undefined) entry.set('unit', unit)
    found.set(name!.replaceAll(':', ''), entry)
  }
  return found
}

/** As in Salt, the last processor replaces the others. */
export function processors(text: string): Dict {
  const found: Dict = new Map()
  for (const line of splitLines(text).filter((line) => line !== '')) {
    const [name = '', value = ''] = line.split(':').map((part) => strip(part))
    found.set(name, name === 'flags' ? splitWords(value) : value)
  }
  return found
}

export function counters(text: string): Dict {
  return new Map(rows(text).map(([name, value]) => [name!, numberIn(value!)]))
}

const CPU = { idle: 4, iowait: 5, irq: 6, nice: 2, softirq: 7, steal: 8, system: 3, user: 1 } as const

/** Parse /proc/stat. */
export function processorTimes(text: string): Dict {
  const found: Dict = new Map()
  for (const words of rows(text)) {
    const [name, total, ...rest] = words as [string, string, ...string[]]
    const list = rest.map(numberIn)
    if (name === 'cpu') found.set(name, new Map(Object.entries(CPU).map(([key, at]) => [key, numberIn(words[at]!)])))
    else if (name === 'intr' || name === 'softirq') {
      const key = name === 'intr' ? 'irqs' : 'softirqs'
      found.set(name, new Map<Value, Value>([['total', numberIn(total)]]).set(key, list))
    } else found.set(name, numberIn(total))
  }
  return found
}

/** Return the mount points and file system types of /proc/mounts. */
export function mounts(text: string): { path: string; type: string }[] {
  return rows(text)
    .filter((words) => words.length >= 3)
    .map(([, path, type]) => ({ path: path!, type: type! }))
}

const DISK = [
  'major',
  'minor',
  'device',
  'reads_issued',
  'reads_merged',
  'sectors_read',
  'ms_spent_reading',
  'writes_completed',
  'writes_merged',
  'sectors_written',
  'ms_spent_writing',
  'io_in_progress',
  'ms_spent_in_io',
  'weighted_ms_spent_in_io',
]

/** Parse /proc/diskstats. */
export function diskCounters(text: string): Dict {
  return new Map(
    rows(text).map((words) => [words[2]!, new Map(DISK.map((key, at): [Value, Value] => [key, numberIn(words[at]!)]))]),
  )
}

/** Parse /proc/net/netstat: alternating lines of names and numbers. As in Salt, the last column is omitted. */
export function protocolCounters(text: string): Dict {
  const found: Dict = new Map()
  let names: string[] = ['']
  for (const words of rows(text)) {
    if (words[0] !== names[0]) {
      names = words
      continue
    }
    const columns = names.slice(1, -1).map((name, at): [Value, Value] => [name, numberIn(words[at + 1]!)])
    found.set(names[0]!.replaceAll(':', ''), new Map(columns))
  }
  return found
}

/** Columns of /proc/net/dev after the interface. */
const INTERFACE = {
  rx_bytes: 0,
  rx_compressed: 6,
  rx_drop: 3,
  rx_errs: 2,
  rx_fifo: 4,
  rx_frame: 5,
  rx_multicast: 7,
  rx_packets: 1,
  tx_bytes: 8,
  tx_carrier: 14,
  tx_colls: 13,
  tx_compressed: 15,
  tx_drop: 11,
  tx_errs: 10,
  tx_fifo: 12,
  tx_packets: 9,
} as const

export function interfaceCounters(text: string): Dict {
  const found: Dict = new Map()
  for (const line of splitLines(text).filter((line) => line.includes(':'))) {
    const iface = strip(line.split(':')[0]!)
    const words = splitWords(line.slice(line.indexOf(':') + 1))
    const columns = Object.entries(INTERFACE).map(([key, at]): [Value, Value] => [key, numberIn(words[at]!)])
    found.set(iface, new Map<Value, Value>([['iface', iface], ...columns]))
  }
  return found
}

/** Parse a process list by the columns of its heading. */
export function processList(text: string): Dict {
  const [heading = [], ...lines] = rows(text)
  const column = (name: string): number => Math.max(0, heading.indexOf(name))
  const either = (first: string, second: string): number => (heading.includes(first) ? column(first) : column(second))
  const [user, pid, command] = [either('USER', 'UID'), column('PID'), either('COMMAND', 'CMD')]
  return new Map(
    lines.map((words): [Value, Value] => [
      words[pid]!,
      dictFrom({ user: words[user]!, cmd: words.slice(command).join(' ') }),
    ]),
  )
}

/** Parse the logins that `w` shows. */
export function logins(text: string): Dict[] {
  return rows(text).map(
    ([user, tty, login, idle, jcpu, pcpu, ...what]) =>
      new Map(Object.entries({ idle, jcpu, login, pcpu, tty, user, what: what.join(' ') })) as Dict,
  )
}
