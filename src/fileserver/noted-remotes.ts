// The last configured remotes of a backend, from `remote_map.txt`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { hasCode, recover } from '../base/mod.ts'
import { type MappedRemote, writeRemoteMap } from '../git/mod.ts'

/** Bring `remote_map.txt` of a backend up to date if it is not; return whether a remote was taken out. */
export function noteRemotes(home: string, backend: string, remotes: readonly MappedRemote[]): boolean {
  const lines = remotes.map(({ folder, shownId }) => `${folder} = ${shownId}`)
  const before = linesOf(join(home, 'remote_map.txt'))
  if (before !== undefined && before.join('\n') === lines.join('\n')) return false
  writeRemoteMap(home, backend, remotes)
  return (before ?? []).some((line) => !lines.includes(line))
}

function linesOf(path: string): string[] | undefined {
  return recover(hasCode('ENOENT'), undefined, () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  )
}
