// One remote of gitfs as updates take it.
import { withHint } from '../../base/mod.ts'
import { fetchFailure, GitError, type LockFiles } from '../../git/mod.ts'
import type { UpdatedRemote } from '../remote-updates.ts'
import type { FetchedRemote } from './environments.ts'

export function updatedRemote({ remote, mirror }: FetchedRemote, locks: LockFiles): UpdatedRemote {
  const { configured, interval } = remote
  return {
    folder: mirror.folder,
    id: configured.id,
    shownId: configured.shownId,
    name: configured.name,
    interval,
    status: () => mirror.status(),
    isHeldBack: () => locks.isHeldBack(configured),
    update: () => mirror.update(),
    failure: (error) => (error instanceof GitError ? withHint(fetchFailure(configured, error), error.hint) : undefined),
  }
}
