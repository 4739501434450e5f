// Salt's lock files of remotes, `<cachedir>/<role>/work/<remote>/_/update.lk`: process id and machine id. Nothing here
// needs them, because fetches hold a kernel lock; but users set them to block updates, and another Salt may share the
// cache. A lock file of `fileserver.lock` has the process id 0: it belongs to no process, and stays until a command
// removes it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { hasCode, isGone, type Log, recover } from '../base/mod.ts'
import { fnmatch } from '../data/mod.ts'
import type { ConfiguredRemote, GitRole } from './configured.ts'

export type LockType = 'update' | 'checkout' | 'mountpoint'

export class LockFiles {
  private readonly homeOf: (role: GitRole) => string
  /** `gitfs_global_lock` and its like: a lock of another machine counts. */
  private readonly isGlobal: boolean
  private readonly log: Log

  /** Locks are below the cache of the role, or in a separate folder. */
  constructor(cachedir: string, isGlobal: boolean, log: Log, home?: string) {
    this.homeOf = (role) => home ?? join(cachedir, role)
    this.isGlobal = isGlobal
    this.log = log
  }

  pathOf({ role, folder }: ConfiguredRemote, type: LockType): string {
    return join(this.homeOf(role), 'work', folder, '_', `${type}.lk`)
  }

  /** Set the locks of the remotes whose URL matches; return what was done. */
  set(remotes: readonly ConfiguredRemote[], pattern: string | null): string[] {
    return matching(remotes, pattern)
      .filter((remote) => !this.isHeld(remote))
      .map((remote) => {
        const path = this.pathOf(remote, 'update')
        mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
        writeFileSync(path, `0\n${machineId()}\n`, { mode: 0o600 })
        return `Set update lock for ${remote.role} remote '${remote.shownId}' on machine_id '${machineId()}'`
      })
  }

  /** Remove the locks of the remotes whose URL matches; return what was done. */
  clear(remotes: readonly ConfiguredRemote[], pattern: string | null, type: LockType = 'update'): string[] {
    return matching(remotes, pattern).flatMap((remote) => {
      const path = this.pathOf(remote, type)
      if (!existsSync(path)) return []
      rmSync(path, { recursive: true })
      return [`Removed ${type} lock for ${remote.role} remote '${remote.shownId}' on machine_id '${machineId()}'`]
    })
  }

  /** Return whether a lock blocks updates of a remote, and log it; remove a stale lock. */
  isHeldBack(remote: ConfiguredRemote): boolean {
    if (!this.isHeld(remote)) return false
    const [path, { role, shownId }] = [this.pathOf(remote, 'update'), remote]
    this.log(
      'warning',
      `Update lock file is present for ${role} remote '${shownId}', skipping. If this warning persists, it is possible that the update process was interrupted, but the lock could also have been manually set. Removing ${path} or running 'salt-run cache.clear_git_lock ${role} type=update' will allow updates to continue for this remote.`,
    )
    return true
  }

  private isHeld(remote: ConfiguredRemote): boolean {
    const path = this.pathOf(remote, 'update')
    // most remotes have no lock, and an error for a missing file costs more than a look
    const content = existsSync(path) ? readIfThere(path) : undefined
    if (content === undefined) return false
    const [first = '', machine = ''] = content.split('\n').map((line) => line.trim())
    const pid = /^\d+$/.test(first) ? Number(first) : undefined
    const [here, { role, shownId }] = [machineId(), remote]
    const isAlive = pid === 0 || (pid !== undefined && !isGone(pid))
    if (!this.isGlobal) {
      if (isAlive) {
        this.log('warning', `Process ${pid} has a ${role} update lock (${path}) on machine_id ${here}`)
        return true
      }
      if (pid !== undefined)
        this.log(
          'warning',
          `Process ${pid} has a ${role} update lock (${path}) on machine_id ${here}, but this process is not running. Cleaning up lock file.`,
        )
      rmSync(path, { force: true })
      return false
    }
    const present = `${role}_global_lock is enabled and update lockfile ${path} is present for ${role} remote '${shownId}' on machine_id ${here} with pid '${pid ?? 0}'.`
    const whose = ` Process ${pid} obtained the lock for machine_id ${machine}, current machine_id ${here}`
    const ended = ' but this process is not running. The update may have been interrupted. '
    if (isAlive) {
      this.log('warning', pid === 0 ? present : present + whose)
      return true
    }
    if (pid !== undefined && machine !== here) {
      const other = `If using multi-master with shared gitfs cache, the lock may have been obtained by another master, with machine_id ${machine}`
      this.log('warning', present + whose + ended + other)
      return true
    }
    const taken = ' Given this process is for the same machine the lock will be reallocated to new process'
    this.log(
      'warning',
      pid === undefined ? `${present} It names no process and is removed` : present + whose + ended + taken,
    )
    rmSync(path, { force: true })
    return false
  }
}

const matching = (remotes: readonly ConfiguredRemote[], pattern: string | null): ConfiguredRemote[] =>
  remotes.filter(({ url }) => pattern === null || pattern === '' || fnmatch(url, pattern))

function readIfThere(path: string): string | undefined {
  return recover(hasCode('ENOENT'), undefined, () => readFileSync(path, 'utf8'))
}

let known: string | undefined

function machineId(): string {
  known ??= ['/etc/machine-id', '/var/lib/dbus/machine-id']
    .map(readIfThere)
    .find((text) => text !== undefined)
    ?.trim()
  return known ?? 'no_machine_id_available'
}
