// The environments of `roots` that were listed since the lists were cleared. Folders are read at each request, and no list is cached;
// `fileserver.clear_file_list_cache` returns these environments, as in Salt.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { folderNames, hasCode, recover } from '../base/mod.ts'

const ENDING = '.p'
/** Environments that a process notes; with `__env__` in `file_roots`, minions may request any number of them. */
const MOST = 1000
const notKept = hasCode('EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENAMETOOLONG', 'ENOTDIR', 'EEXIST')

export class ListedEnvironments {
  private readonly folder: string
  private readonly noted = new Set<string>()

  constructor(cachedir: string) {
    this.folder = join(cachedir, 'file_lists', 'roots')
  }

  private path(saltenv: string): string {
    return join(this.folder, `${saltenv.replaceAll('/', '_|-')}${ENDING}`)
  }

  note(saltenv: string): void {
    if (this.noted.has(saltenv) || this.noted.size >= MOST) return
    this.noted.add(saltenv)
    recover(notKept, undefined, () => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      writeFileSync(this.path(saltenv), '')
    })
  }

  clear(saltenv: string | null): string[] {
    this.noted.clear()
    const names = folderNames(this.folder).filter((name) => name.endsWith(ENDING))
    const environments = names.map((name) => name.slice(0, -ENDING.length).replaceAll('_|-', '/'))
    const chosen = environments.filter((name) => saltenv === null || name === saltenv)
    for (const name of chosen) rmSync(this.path(name), { force: true })
    return chosen.sort()
  }
}
