// The file server, with all backends.
import { type Log, lookup, silentLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FileBackend } from './backend.ts'
import { openGitFiles } from './gitfs/mod.ts'
import { ListedEnvironments } from './listed-environments.ts'
import { MinionFiles } from './minionfs.ts'
import type { BackendName } from './names.ts'
import type { OwnBackends } from './own-backends.ts'
import { Roots } from './roots.ts'
import { openS3Files } from './s3fs/mod.ts'
import { ServedFiles } from './served-files.ts'
import { openHgFiles, openSvnFiles } from './trees/mod.ts'

type Make = (opts: Dict, host: Host, log: Log) => FileBackend | undefined

const MAKERS: Readonly<Record<BackendName, Make>> = {
  roots: (opts, host) => new Roots(opts, host, new ListedEnvironments(option(opts, 'cachedir'))),
  minionfs: (opts, host) => (option(mastersOf(opts), 'file_recv') ? new MinionFiles(mastersOf(opts), host) : undefined),
  gitfs: (opts, _, log) => openGitFiles(opts, log),
  svnfs: openSvnFiles,
  hgfs: openHgFiles,
  s3fs: openS3Files,
}
const BACKENDS: Readonly<Record<string, Make>> = lookup(MAKERS)

/** A target of salt-ssh is served the files that the master keeps. */
function mastersOf(opts: Dict): Dict {
  const masters = opts.get('__master_opts__')
  return masters !== undefined && isDict(masters) ? masters : opts
}

export class FileServer extends ServedFiles {
  /** Without `own`, the names of users' own backends are unknown. */
  constructor(opts: Dict, host: Host, log: Log = silentLog, own?: OwnBackends) {
    const make = (name: string): Make => BACKENDS[name] ?? ((...around) => own?.(name, ...around))
    super(opts, log, (name) => make(name)(opts, host, log))
  }
}
