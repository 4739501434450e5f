// The minions that a command line means, asked of the master's files: for a preview, and to see whether they are too many
// to be done at once.

import { str, textOf } from '../../data/mod.ts'
import { publishedTarget, resolveTarget } from '../../match/mod.ts'
import { fileCache, PkiKeys } from '../../store/mod.ts'
import { targetKind } from './request.ts'
import type { SaltWork } from './work.ts'

export function previewed({ opts, log }: SaltWork): string[] {
  const known = {
    opts,
    log,
    keys: new PkiKeys(str(opts.get('pki_dir')!)),
    cache: fileCache(str(opts.get('cachedir')!)),
  }
  const { target, kind } = publishedTarget(opts.get('tgt')!, targetKind(opts), opts)
  return resolveTarget(known, target, kind, textOf(opts.get('delimiter') ?? null) ?? ':').minions
}
