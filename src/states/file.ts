// Files, directories and links of the machine: there or not, with content, owner and mode.
import { defineState } from '../sdk/mod.ts'
import { absent, exists, missing } from './file/absent.ts'
import { accumulated } from './file/accumulators.ts'
import { append, prepend } from './file/append.ts'
import { cached, not_cached } from './file/cached.ts'
import { comment, uncomment } from './file/comment.ts'
import { copy } from './file/copy.ts'
import { decode } from './file/decode.ts'
import { directory } from './file/directory.ts'
import { blockreplace, line, replace } from './file/editing.ts'
import { hardlink } from './file/hardlink.ts'
import { keyvalue } from './file/keyvalue.ts'
import { managed } from './file/managed.ts'
import { mknod } from './file/mknod.ts'
import { mod_beacon } from './file/mod-beacon.ts'
import { patch } from './file/patch.ts'
import { pruned } from './file/pruned.ts'
import { recurse } from './file/recurse.ts'
import { rename } from './file/rename.ts'
import { retention_schedule } from './file/retention.ts'
import { serialize } from './file/serialize.ts'
import { shortcut } from './file/shortcut.ts'
import { symlink } from './file/symlink.ts'
import { tidied } from './file/tidied.ts'
import { touch } from './file/touch.ts'

export default defineState({
  name: 'file',
  doc: 'Manage files, directories and links.',
  ownCheckCmd: true,
  functions: {
    absent,
    accumulated,
    append,
    blockreplace,
    cached,
    comment,
    copy,
    decode,
    directory,
    exists,
    hardlink,
    keyvalue,
    line,
    managed,
    missing,
    mknod,
    mod_beacon,
    not_cached,
    patch,
    prepend,
    pruned,
    recurse,
    rename,
    replace,
    retention_schedule,
    serialize,
    shortcut,
    symlink,
    tidied,
    touch,
    uncomment,
  },
})
