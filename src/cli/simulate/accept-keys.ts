// `brine simulate --accept`: the public keys of simulated minions among the accepted keys of the master on this machine.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { PkiKeys } from '../../store/mod.ts'

interface Ids {
  prefix: string
  first: number
  count: number
}

/**
 * Accept the keys; return a function that removes them. Nothing is changed if the master has accepted another key for
 * one of the ids.
 */
export function acceptKeys(opts: Dict, { prefix, first, count }: Ids, pemOf: (number: number) => string): () => void {
  const folder = option(opts, 'pki_dir')
  if (!existsSync(join(folder, 'master.pem'))) {
    throw new BrineError('NoMaster', `There is no key of a master in ${folder}`, {
      hint: 'Name the configuration of the master with --config-dir, and start the master once',
    })
  }
  const keys = new PkiKeys(folder)
  const numbers = Array.from({ length: count }, (_, at) => first + at)
  const added: string[] = []
  for (const number of numbers) {
    const id = `${prefix}${number}`
    const known = keys.accepted(id)
    if (known !== undefined && known.trim() !== pemOf(number).trim()) {
      throw new BrineError('KeyTaken', `The master has accepted another key for ${id}`, {
        hint: `Choose another --prefix, name the --pki-dir of the run that made that key, or delete the keys: salt-key -d '${prefix}*'`,
      })
    }
    if (known === undefined) added.push(id)
  }
  for (const number of numbers) {
    const id = `${prefix}${number}`
    if (keys.accepted(id) === undefined) keys.store(id, { state: 'accepted', pub: pemOf(number) })
  }
  return () => {
    for (const id of added) keys.remove('minions', id)
  }
}
