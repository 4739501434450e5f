// The virtual machines that the runner virt.query found on each host.
import { equals, getItem, isDict, iterate, str, type Value } from '../data/mod.ts'
import { dictFor, getOr, need, type Outputter } from './outputter.ts'

export const virtQuery: Outputter = (data) => {
  const hosts = getItem(data, 'data')
  let out = ''
  for (const host of iterate(hosts)) {
    out += `${str(host)}\n`
    for (const name of iterate(getItem(getItem(hosts, host), 'vm_info'))) {
      out += `  ${str(name)}\n`
      const machine = getItem(getItem(getItem(data, host), 'vm_info'), name)
      for (const line of machineLines(host, machine)) out += `    ${line}\n`
    }
  }
  return out
}

const FACTS = [
  ['cpu', 'CPU'],
  ['mem', 'Memory'],
  ['state', 'State'],
] as const

function* machineLines(host: Value, machine: Value): Generator<string> {
  if (!isDict(machine)) return
  for (const [key, label] of FACTS) {
    const fact = machine.get(key)
    if (fact !== undefined) yield `${label}: ${str(fact)}`
  }
  const graphics = machine.get('graphics')
  if (graphics !== undefined && equals(getOr(dictFor(graphics, 'get'), 'type', ''), 'vnc')) {
    yield `Graphics: vnc - ${str(host)}:${str(getItem(graphics, 'port'))}`
  }
  yield* diskLines(getOr(machine, 'disks', new Map()))
  yield* nicLines(getOr(machine, 'nics', new Map()))
}

function* diskLines(disks: Value): Generator<string> {
  for (const [name, disk] of dictFor(disks, 'items')) {
    yield `Disk - ${str(name)}:`
    yield `  Size: ${str(getItem(disk, 'disk size'))}`
    yield `  File: ${str(getItem(disk, 'file'))}`
    yield `  File Format: ${str(getItem(disk, 'file format'))}`
  }
}

function* nicLines(nics: Value): Generator<string> {
  for (const mac of iterate(nics)) {
    const nic = dictFor(getItem(nics, mac), 'get')
    const [source] = dictFor(need(nic, 'source'), 'keys').values()
    yield `Nic - ${str(mac)}:`
    yield `  Source: ${str(source ?? null)}`
    yield `  Type: ${str(need(nic, 'type'))}`
  }
}
