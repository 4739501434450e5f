// The data about this master for a new minion: its address, its public key and the fingerprint of that key.
import { hostname } from 'node:os'
import { join } from 'node:path'
import { BrineError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, dumpJson, quote, str, type Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import { pemFingerprint } from '../../wire/mod.ts'

export interface MasterFacts {
  address: string
  /** The port for requests. */
  port: number
  publicPem: string
  fingerprint: string
}

const USUAL_PORT = 4506
const EVERYWHERE: ReadonlySet<string> = new Set(['', '0.0.0.0', '::'])

export async function readMasterFacts(opts: Dict, host: Host, named: string | undefined): Promise<MasterFacts> {
  const file = join(option(opts, 'pki_dir'), 'master.pub')
  if ((await host.stat(file)) === undefined) {
    throw new BrineError('NoMasterKey', `This machine has no key of a master: ${file} is missing`, {
      hint: 'Run brine bootstrap on the master, and start salt-master once before',
    })
  }
  const publicPem = new TextDecoder().decode(await host.read(file))
  const bound = option(opts, 'interface')
  const address = named ?? (EVERYWHERE.has(bound) ? await ownName(host) : bound)
  if (!/^[\w.:%[\]-]+$/.test(address))
    throw new BrineError('BadAddress', `${quote(address)} is no name or address of a master`)
  const fingerprint = pemFingerprint(publicPem, option(opts, 'hash_type'))
  return { address, port: option(opts, 'ret_port'), publicPem, fingerprint }
}

/** The full name of this machine, where it can be had. */
async function ownName(host: Host): Promise<string> {
  const program = await host.which('hostname')
  const answer = program && (await host.run({ argv: [program, '-f'], timeout: 10, maxOutput: 1024 }))
  const name = answer && answer.retcode === 0 ? new TextDecoder().decode(answer.stdout).trim() : ''
  return name === '' || name.startsWith('localhost') ? hostname() : name
}

/**
 * Return the configuration of the minion: `more` are further options, which the above ones override. Values are written
 * as JSON, which is valid YAML for all characters.
 */
export function minionConfigText(
  { address, port, fingerprint }: MasterFacts,
  id: string,
  more: Dict = new Map(),
): string {
  const own: Record<string, Value> = { master: address, id, master_finger: fingerprint }
  if (port !== USUAL_PORT) own['master_port'] = port
  const options = new Map<Value, Value>([...Object.entries(own), ...more, ['id', id]])
  const lines = [...options].map(([name, value]) => `${JSON.stringify(str(name))}: ${dumpJson(value)}`)
  return ['# Written by brine bootstrap.', ...lines.map((line) => line.replace(/^"(\w+)"/, '$1')), ''].join('\n')
}
