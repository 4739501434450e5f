// The `gitfs` backend, if its provider is known to Salt.
import type { Log } from '../../base/mod.ts'
import { type Dict, isDict } from '../../data/mod.ts'
import { isKnownProvider } from '../../git/mod.ts'
import { type GitFiles, gitFiles } from './gitfs.ts'
import { providerOf } from './remotes.ts'

export function openGitFiles(opts: Dict, log: Log): GitFiles | undefined {
  // a target of salt-ssh is served from the mirrors of the master
  const masters = opts.get('__master_opts__')
  const own = masters !== undefined && isDict(masters) ? masters : opts
  return isKnownProvider('gitfs', providerOf(own), log) ? gitFiles(own, log) : undefined
}
