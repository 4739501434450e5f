// The identity of the user of a program towards the master: the user name, and the key file that the master made for
// that user.
import { readFileSync } from 'node:fs'
import { localKeyFile, ownUser } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'

export interface LocalIdentity {
  user: string
  /** Empty when the user may read none. */
  key: string
}

export function localKey(opts: Dict): LocalIdentity {
  const self = ownUser()
  const sudo = process.env['SUDO_USER']
  const user = self === 'root' && sudo && sudo !== 'root' ? `sudo_${sudo}` : self
  const owner = option(opts, 'user') || self
  for (const name of new Set([user.startsWith('sudo_') ? 'root' : user, owner])) {
    try {
      return { user, key: readFileSync(localKeyFile(option(opts, 'cachedir'), name), 'utf8').trim() }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' && code !== 'EACCES') throw error
    }
  }
  return { user, key: '' }
}
