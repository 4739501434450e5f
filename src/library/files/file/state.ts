// Files, directories and links: present or absent, with content, owner and mode.
import { defineState } from '../../../sdk/mod.ts'
import { absent, exists, missing } from './state/absent.ts'
import { accumulated } from './state/accumulators.ts'
import { append, prepend } from './state/append.ts'
import { cached, not_cached } from './state/cached.ts'
import { comment, uncomment } from './state/comment.ts'
import { copy } from './state/copy.ts'
import { decode } from './state/decode.ts'
import { directory } from './state/directory.ts'
import { blockreplace, line, replace } from './state/editing.ts'
import { hardlink } from './state/hardlink.ts'
import { keyvalue } from './state/keyvalue.ts'
import { managed } from './state/managed.ts'
import { mknod } from './state/mknod.ts'
import { mod_beacon } from './state/mod-beacon.ts'
import { patch } from './state/patch.ts'
import { pruned } from './state/pruned.ts'
import { recurse } from './state/recurse.ts'
import { rename } from './state/rename.ts'
import { retention_schedule } from './state/retention.ts'
import { serialize } from './state/serialize.ts'
import { shortcut } from './state/shortcut.ts'
import { symlink } from './state/symlink.ts'
import { tidied } from './state/tidied.ts'
import { touch } from './state/touch.ts'

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
