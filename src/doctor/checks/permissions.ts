// Files with secrets that all local users can read: private keys, pillar, configuration with passwords.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAnyError, recover } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { Check, CheckContext } from '../check.ts'
import { secretsIn } from '../secrets/secrets-in.ts'
import { textOfFile } from '../site/read-bounded.ts'

const PRIVATE_KEYS = ['master.pem', 'minion.pem', 'master_sign.pem', 'syndic_master.pem']
const MOST_PILLAR_FINDINGS = 5

export const permissions: Check = {
  name: 'permissions',
  codes: ['danger-readable-file'],
  run: ({ daemons, serving, pillar }, ctx) => {
    for (const { isConfigured, opts, files } of daemons) {
      if (!isConfigured) continue
      for (const name of PRIVATE_KEYS) tell(join(option(opts, 'pki_dir'), name), 'a private key', ctx)
      for (const file of files) {
        if (secretsIn(textOfFile(file) ?? '', { isConfig: true }).length > 0)
          tell(file, 'configuration with secrets', ctx)
      }
    }
    // a tree by itself is a working copy
    if (!serving.isConfigured) return
    let left = MOST_PILLAR_FINDINGS
    for (const root of new Set([...pillar.roots.values()].flat())) {
      const isOpen = pillar.files.find((file) => file.root === root && isReadable(file.file))
      if (isOpen && left-- > 0) tell(isOpen.file, 'pillar (this file is an example)', ctx)
    }
  },
}

function tell(file: string, what: string, { report }: CheckContext): void {
  if (isReadable(file)) report('danger-readable-file', { message: `Every local user can read ${what}`, at: { file } })
}

/** Whether others can read the file: its mode and all parent folders permit it. */
function isReadable(file: string): boolean {
  const mode = modeOf(file)
  if (mode === undefined || (mode & 0o004) === 0) return false
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (((modeOf(folder) ?? 0) & 0o001) === 0) return false
  }
  return true
}

function modeOf(path: string): number | undefined {
  // missing, or not readable for this user, so not readable for all users
  return recover(isAnyError, undefined, () => statSync(path).mode)
}
