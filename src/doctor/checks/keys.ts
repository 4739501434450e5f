// Keys in the pki folders: whether they are valid, and their lengths.
import { createPublicKey } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isAnyError, recover } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { Check, CheckContext } from '../check.ts'
import { readBounded } from '../site/read-bounded.ts'

const LEAST_BITS = 2048
const MOST_KEY = 64 << 10
const FOLDERS = ['minions', 'minions_pre']
const OWN = ['master.pub', 'minion.pub', 'minion_master.pub', 'master_sign.pub']

export const keys: Check = {
  name: 'keys',
  codes: ['key-weak', 'key-unreadable'],
  run: ({ daemons }, ctx) => {
    for (const { isConfigured, opts } of daemons) {
      if (!isConfigured) continue
      const folder = option(opts, 'pki_dir')
      for (const name of OWN) checkKey(join(folder, name), ctx, true)
      for (const kept of FOLDERS) for (const id of idsIn(join(folder, kept))) checkKey(join(folder, kept, id), ctx)
    }
  },
}

function idsIn(folder: string): string[] {
  // the folder is missing, or this user may not read it
  return recover(isAnyError, [], () =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && !entry.isDirectory())
      .map(({ name }) => name),
  )
}

function checkKey(file: string, { report }: CheckContext, mayMiss = false): void {
  const bytes = readBounded(file, MOST_KEY)
  if (typeof bytes === 'string') {
    if (!mayMiss) report('key-unreadable', { message: `The key cannot be read: ${bytes}`, at: { file } })
    return
  }
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(bytes)
    const bits = asymmetricKeyDetails?.modulusLength
    if (asymmetricKeyType !== 'rsa') {
      report('key-unreadable', { message: `The key is of the kind ${asymmetricKeyType}; Salt's are RSA`, at: { file } })
    } else if (bits !== undefined && bits < LEAST_BITS) {
      report('key-weak', { message: `The key has ${bits} bits`, at: { file } })
    }
  } catch {
    // the message of OpenSSL does not help the user
    report('key-unreadable', { message: 'The file holds no public key', at: { file } })
  }
}
