// Large files, many remotes, and files that were left out.
import { rawOption, sourcesOf } from '../../config/mod.ts'
import { isList } from '../../data/mod.ts'
import type { Check } from '../check.ts'

const BIG_FILE = 100 << 20
const MANY_REMOTES = 30
const REMOTES = ['gitfs_remotes', 'hgfs_remotes', 'svnfs_remotes'] as const

export const sizes: Check = {
  name: 'sizes',
  codes: ['slow-big-file', 'slow-many-remotes', 'file-skipped'],
  run: ({ states, pillar, serving }, { report }) => {
    for (const { file, size } of states.files) {
      if (size >= BIG_FILE)
        report('slow-big-file', { message: `The file has ${Math.round(size / (1 << 20))} MB`, at: { file } })
    }
    for (const { file, why } of [...states.skipped, ...pillar.skipped]) {
      report('file-skipped', { message: `Not checked: ${why}`, at: { file } })
    }
    for (const name of REMOTES) {
      const remotes = rawOption(serving.opts, name)
      if (!isList(remotes) || remotes.length < MANY_REMOTES) continue
      report('slow-many-remotes', {
        message: `${name} has ${remotes.length} entries`,
        at: sourcesOf(serving.opts).get(name),
      })
    }
  },
}
