// The minions that match the target of a command line, according to the master's files: for a preview, and to check
// whether there are too many.

import { option } from '../../config/mod.ts'
import { textOf } from '../../data/mod.ts'
import { publishedTarget, resolveTarget } from '../../match/mod.ts'
import { fileCache, PkiKeys } from '../../store/mod.ts'
import { targetKind } from './request.ts'
import type { SaltWork } from './work.ts'

export function previewed({ opts, log }: SaltWork): string[] {
  const known = {
    opts,
    log,
    keys: new PkiKeys(option(opts, 'pki_dir')),
    cache: fileCache(option(opts, 'cachedir')),
  }
  const { target, kind } = publishedTarget(opts.get('tgt')!, targetKind(opts), opts)
  return resolveTarget(known, target, kind, textOf(opts.get('delimiter') ?? null) ?? ':').minions
}
