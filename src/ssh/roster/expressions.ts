// Rosters whose target is an expression: node sets of ClusterShell, and range expressions of a range server.
import { option } from '../../config/mod.ts'
import { type Dict, dictFrom, str, textOf, type Value } from '../../data/mod.ts'
import type { Backend, RawEntry, RosterRequest } from './backend.ts'
import { addressesOf } from './choose.ts'
import { RosterError } from './errors.ts'
import { texts } from './files.ts'
import { expandNodeSet } from './node-sets.ts'
import { rangeHosts } from './range-server.ts'
import { MOST_TARGETS, openPorts } from './scan.ts'

const expression = ({ tgt }: RosterRequest): string => textOf(tgt) ?? texts(tgt).join(',')

export const clustershell: Backend = {
  chooses: true,
  async read(request) {
    const set = expression(request)
    const names = set.includes('@') ? await expandGroups(request, set) : expandNodeSet(set)
    const addresses = new Map<string, string>()
    for (const name of names) {
      const found = await addressesOf(name)
      const address = found.find((one) => !one.includes(':')) ?? found[0]
      if (address !== undefined) addresses.set(name, address)
    }
    const ports = await openPorts(request, addresses)
    const entry = (name: string): Dict => {
      const port = ports.get(name)
      if (port === undefined) return new Map<Value, Value>([['host', name]])
      return dictFrom({ host: addresses.get(name)!, port })
    }
    return { source: set, entries: new Map<string, RawEntry>(names.map((name) => [name, entry(name)])) }
  },
}

/** Expand groups such as `@web` with ClusterShell's own program. */
async function expandGroups({ host }: RosterRequest, set: string): Promise<string[]> {
  const program = (await host.which('nodeset')) ?? (await host.which('cluset'))
  if (program === undefined) {
    throw new RosterError('RosterUnreadable', `the group in '${set}' needs ClusterShell, which is not installed`)
  }
  const argv = [program, '--expand', '--separator=\n', '--', set]
  const { retcode, stdout, stderr } = await host.run({ argv, timeout: 60, maxOutput: 16 * 1024 * 1024 })
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).trim()
  if (retcode !== 0) throw new RosterError('RosterUnreadable', `${program} exits with ${retcode}: ${text(stderr)}`)
  return text(stdout).split('\n').filter(Boolean).slice(0, MOST_TARGETS)
}

export const range: Backend = {
  chooses: true,
  async read(request) {
    const hosts = await rangeHosts(request, expression(request))
    const user = option(request.opts, 'ssh_user')
    const entry = (host: string): Dict =>
      new Map<Value, Value>([['host', host], ...(user === '' ? [] : ([['user', user]] as const))])
    const source = str(option(request.opts, 'range_server'))
    return { source, entries: new Map<string, RawEntry>(hosts.map((host) => [host, entry(host)])) }
  },
}
