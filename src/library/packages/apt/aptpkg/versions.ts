// The order of versions, with epochs or without.
import { compareDebian, type VersionOrder } from '../../../../data/mod.ts'

const bare = (version: string): string => version.slice(version.indexOf(':') + 1)

export const orderOf =
  (ignoreEpoch = false): VersionOrder =>
  (a, b) =>
    ignoreEpoch ? compareDebian(bare(a), bare(b)) : compareDebian(a, b)
