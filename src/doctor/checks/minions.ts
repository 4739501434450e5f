// Minions by their known data: versions, Python, missing grains.
import { isList, str } from '../../data/mod.ts'
import type { Check } from '../check.ts'
import type { KnownMinion } from '../site/site.ts'

const OLDEST = 3006

export const minions: Check = {
  name: 'minions',
  codes: ['minion-old-version', 'minion-python2', 'minion-mixed-versions', 'minion-without-grains'],
  run: ({ minions: known, withoutGrains }, { report }) => {
    const real = known.filter(({ from }) => from === 'cache' || from === 'file')
    for (const minion of real) {
      const version = versionOf(minion)
      if (version !== undefined && majorOf(version) < OLDEST) {
        report('minion-old-version', { message: `A minion has Salt ${version}`, minion: minion.id })
      }
      const python = minion.grains.get('pythonversion')
      if (isList(python ?? null) && str((python as unknown[] as never[])[0] ?? '') === '2') {
        report('minion-python2', { message: 'A minion runs on Python 2', minion: minion.id })
      }
    }
    const versions = [...new Set(real.flatMap((minion) => versionOf(minion) ?? []))].sort()
    if (versions.length > 1) report('minion-mixed-versions', { message: `Minions have Salt ${versions.join(', ')}` })
    for (const id of withoutGrains) {
      report('minion-without-grains', { message: 'The master has no grains of an accepted minion', minion: id })
    }
  },
}

const versionOf = ({ grains }: KnownMinion): string | undefined => {
  const version = grains.get('saltversion')
  return version === undefined ? undefined : str(version)
}

/** Salt was counted by years until 2019, and by thousands since. */
const majorOf = (version: string): number => {
  const major = Number.parseInt(version, 10)
  return major >= 3000 ? major : 0
}
