// Functions of `file` that read or set facts about files: owners, modes, attributes, hashes.
import { failure, float, misuse, PyError, textOf, truthy, tuple, type Value } from '../../../../data/mod.ts'
import {
  arg,
  changes,
  expandUser,
  type FileType,
  type FunctionContext,
  globPaths,
  isAbsolute,
  isDirectory,
  isFile,
  isLink,
  reads,
  ret,
} from '../../../../sdk/mod.ts'
import { offered, required, SELINUX, SIGNERS, selinuxOf } from '../managed-request.ts'
import { changeAttributes, listAttributes, selinuxContext, setSelinuxContext } from './attributes.ts'
import { deviceNumbers, hasType } from './devices.ts'
import { checkHash, extractHash, hashFile, sourceSum, sumDict } from './hashing.ts'
import { openFiles } from './open-files.ts'
import { checkPermissions } from './permissions.ts'
import { chown, gidToGroup, groupToGid, lchown, setMode, stats, uidToUser, userToUid } from './stats.ts'

const path = arg.path('Path')
const name = arg.path('Path')
const user = arg.textOrNumber('User: a name or a uid')
const group = arg.textOrNumber('Group: a name or a gid')
const follow_symlinks = arg.boolean('Follow a symbolic link', { default: true })

/** Declare a function that returns one fact. */
const fact = (doc: string, key: 'uid' | 'gid' | 'user' | 'group' | 'mode') =>
  reads({
    doc,
    args: { path, follow_symlinks },
    returns: ret.any('The fact: text or a number'),
    example: `file.get_${key} /etc/passwd`,
    run: async (ctx, { path, follow_symlinks }) => (await stats(ctx, path, { follow: follow_symlinks }))[key],
  })

/** Declare a function that tests a path. */
const test = (doc: string, name: string, run: (ctx: FunctionContext, path: string) => Promise<boolean>) =>
  reads({
    doc,
    args: { path },
    returns: ret.boolean('Result of the test'),
    example: `file.${name} /etc/passwd`,
    run: (ctx, { path }) => run(ctx, path),
  })

/** Declare a function that tests the type of a path. */
const device = (doc: string, type: FileType) =>
  reads({
    doc,
    args: { name },
    returns: ret.boolean('Result of the test'),
    run: (ctx, { name }) => hasType(ctx, name, type),
  })

const owners = {
  uid_to_user: reads({
    doc: 'Return the name of a user.',
    args: { uid: arg.any('The uid: a number; text is refused') },
    returns: ret.any('The name, or the uid when no user has it'),
    example: 'file.uid_to_user 0',
    run: (ctx, { uid }) => {
      if (textOf(uid) !== undefined) throw new PyError('TypeError', 'uid should be integer, not str')
      return uidToUser(ctx, uid)
    },
  }),
  user_to_uid: reads({
    doc: 'Return the uid of a user.',
    args: { user },
    returns: ret.any('The uid, or an empty text for an unknown user'),
    example: 'file.user_to_uid root',
    run: (ctx, { user }) => userToUid(ctx, user),
  }),
  gid_to_group: reads({
    doc: 'Return the name of a group.',
    args: { gid: arg.textOrNumber('The gid: a number, or text of one') },
    returns: ret.any('The name, or the gid when no group has it'),
    example: 'file.gid_to_group 0',
    run: (ctx, { gid }) => gidToGroup(ctx, gid),
  }),
  group_to_gid: reads({
    doc: 'Return the gid of a group.',
    args: { group },
    returns: ret.any('The gid, or an empty text for an unknown group'),
    example: 'file.group_to_gid root',
    run: (ctx, { group }) => groupToGid(ctx, group),
  }),
  get_uid: fact('Return the uid of the owner of a file.', 'uid'),
  get_user: fact('Return the name of the owner of a file.', 'user'),
  get_gid: fact('Return the gid of a file.', 'gid'),
  get_group: fact('Return the name of the group of a file.', 'group'),
  get_mode: fact('Return the mode of a file.', 'mode'),
  set_mode: changes({
    doc: 'Set the mode of a file.',
    args: { path, mode: arg.textOrNumber('Mode in octal: text or a number') },
    returns: ret.string('The new mode'),
    example: 'file.set_mode /etc/passwd 0644',
    run: (ctx, { path, mode }) => setMode(ctx, path, mode),
  }),
  chown: changes({
    doc: 'Set the owner and group of a file.',
    args: { path, user, group },
    returns: ret.optional(ret.string('An error message; None on success')),
    example: 'file.chown /etc/passwd root root',
    run: (ctx, { path, user, group }) => chown(ctx, path, user, group),
  }),
  lchown: changes({
    doc: 'Set the owner and group of a symbolic link itself.',
    args: { path, user, group },
    returns: ret.none('None'),
    example: 'file.chown /etc/passwd root root',
    run: (ctx, { path, user, group }) => lchown(ctx, path, user, group),
  }),
  chgrp: changes({
    doc: 'Set the group of a file.',
    args: { path, group },
    returns: ret.optional(ret.string('An error message; None on success')),
    example: 'file.chgrp /etc/passwd root',
    run: async (ctx, { path, group }) => chown(ctx, path, (await stats(ctx, path)).user, group),
  }),
  check_perms: changes({
    doc: 'Set the owner, group, mode, attributes and SELinux context of a file, and report the changes.',
    args: {
      ...required('name', 'ret', 'user', 'group', 'mode'),
      ...offered('attrs'),
      follow_symlinks: arg.boolean('Follow a symbolic link', { default: false }),
      ...offered(...SELINUX),
    },
    returns: ret.list('Report of a state, and a dict of the old and new facts'),
    example: "file.check_perms /etc/sudoers '{}' root root 400 ai",
    run: async (ctx, given) => {
      const { user, group, mode, attrs, follow_symlinks: follow } = given
      const wanted = { user, group, mode, attrs, follow, selinux: selinuxOf(given) }
      const { ret: report, perms } = await checkPermissions(ctx, given.name, given.ret, wanted)
      return tuple([report, perms])
    },
  }),
}

const states = {
  stats: reads({
    doc: 'Return facts about a file: owner, mode, size, times and type.',
    args: {
      path,
      hash_type: arg.text('Hash type, to include the hash of the file', { optional: true }),
      follow_symlinks,
    },
    returns: ret.dict('Facts by name'),
    example: 'file.stats /etc/passwd',
    run: async (ctx, { path, hash_type, follow_symlinks }) =>
      (await stats(ctx, path, { hashType: hash_type, follow: follow_symlinks })).dict,
  }),
  lstat: reads({
    doc: 'Return the result of the system call `lstat` for a path.',
    args: { path },
    returns: ret.dict('Fields by name; empty when the path does not exist'),
    example: 'file.lstat /path/to/file',
    run: async (ctx, { path }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw misuse('Path to file must be absolute.')
      const stat = await ctx.host.lstat(whole)
      if (stat === undefined) return {}
      const types = { fifo: 1, char: 2, directory: 4, block: 6, file: 8, link: 10, socket: 12 } as const
      return {
        st_atime: float(stat.atime),
        st_ctime: float(stat.ctime),
        st_gid: stat.gid,
        st_mode: (types[stat.type] << 12) | stat.mode,
        st_mtime: float(stat.mtime),
        st_nlink: stat.links,
        st_size: stat.size,
        st_uid: stat.uid,
      }
    },
  }),
  statvfs: reads({
    doc: 'Return the result of the system call `statvfs` for a path.',
    args: { path },
    returns: ret.dict('Fields by name'),
    example: 'file.statvfs /path/to/file',
    run: async (ctx, { path }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw misuse('File path must be absolute.')
      if (!(await ctx.host.stat(whole))) throw failure(`Could not statvfs '${whole}'`)
      const { blockSize, blocks, free, available, files, freeFiles } = await ctx.host.fileSystem(whole)
      return {
        f_bavail: available,
        f_bfree: free,
        f_blocks: blocks,
        f_bsize: blockSize,
        f_favail: freeFiles,
        f_ffree: freeFiles,
        f_files: files,
        f_flag: 0,
        f_frsize: blockSize,
        f_namemax: 255,
      }
    },
  }),
  access: reads({
    doc: 'Return whether the minion can access a path.',
    args: { path, mode: arg.text('Kind of access: `f` for existence, `r`, `w` or `x`') },
    returns: ret.boolean('Whether the access is permitted'),
    example: 'file.access /path/to/file f',
    run: async (ctx, { path, mode }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw misuse('Path to link must be absolute.')
      const modes = {
        f: 'exists',
        r: 'read',
        w: 'write',
        x: 'execute',
        0: 'exists',
        4: 'read',
        2: 'write',
        1: 'execute',
      } as const
      if (!Object.hasOwn(modes, mode)) throw misuse('Invalid mode specified.')
      return ctx.host.access(whole, modes[mode as keyof typeof modes])
    },
  }),
  file_exists: test('Return whether a path is a file.', 'file_exists', async (ctx, given) =>
    isFile(ctx, await expandUser(ctx, given)),
  ),
  directory_exists: test('Return whether a path is a directory.', 'directory_exists', async (ctx, given) =>
    isDirectory(ctx, await expandUser(ctx, given)),
  ),
  path_exists_glob: test(
    'Return whether any path matches a glob.',
    'path_exists_glob',
    async (ctx, given) => (await globPaths(ctx, await expandUser(ctx, given))).length > 0,
  ),
  is_hardlink: reads({
    doc: 'Return whether a file has several hard links.',
    args: { path },
    returns: ret.any('Whether it has; an empty dict when the path does not exist'),
    example: 'file.is_hardlink /path/to/link',
    run: async (ctx, { path }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw misuse('Path to file must be absolute.')
      const stat = await ctx.host.lstat(whole)
      return stat === undefined ? {} : stat.links > 1
    },
  }),
  is_link: reads({
    doc: 'Return whether a path is a symbolic link.',
    args: { path, nostat: arg.boolean('Accepted for compatibility', { default: false }) },
    returns: ret.boolean('Result of the test'),
    example: 'file.is_link /path/to/link',
    run: async (ctx, { path }) => isLink(ctx, await expandUser(ctx, path)),
  }),
  is_chrdev: device('Return whether a path is a character device.', 'char'),
  is_blkdev: device('Return whether a path is a block device.', 'block'),
  is_fifo: device('Return whether a path is a named pipe.', 'fifo'),
  get_devmm: reads({
    doc: 'Return the major and minor number of a device.',
    args: { name },
    returns: ret.list('The major and the minor number'),
    example: 'file.get_devmm /dev/chr',
    run: async (ctx, { name }) => tuple(await deviceNumbers(ctx, name)),
  }),
  open_files: reads({
    doc: 'Return the files that processes have open.',
    args: { by_pid: arg.boolean('Group the result by process id instead of by file', { default: false }) },
    returns: ret.dict('Processes by file, or files by process'),
    run: (ctx, { by_pid }) => openFiles(ctx, by_pid),
  }),
}

const attributes = {
  lsattr: reads({
    doc: 'Return the attributes of a file that `lsattr` lists.',
    args: { path: arg.string('Path') },
    returns: ret.optional(ret.dict('Lists of letters by path; None without `lsattr`')),
    example: 'file.lsattr foo1.txt',
    run: (ctx, { path }) => listAttributes(ctx, path),
  }),
  chattr: changes({
    doc: 'Change the attributes of files with `chattr`.',
    args: { files: arg.rest('Paths'), options: arg.open('`operator`, `attributes`, `flags` and `version`') },
    returns: ret.boolean('True on success'),
    example: 'file.chattr foo1.txt foo2.txt operator=add attributes=ai',
    run: (ctx, { files, options }) => {
      const given = (key: string): Value => options.get(key) ?? null
      const [operator, attributes] = [given('operator'), given('attributes')]
      return changeAttributes(ctx, files, { operator, attributes, flags: given('flags'), version: given('version') })
    },
  }),
  restorecon: changes({
    doc: 'Reset the SELinux context of a path.',
    args: { path: arg.string('Path'), recursive: arg.boolean('Include everything below the path', { default: false }) },
    returns: ret.boolean('True on success'),
    example: 'file.restorecon /home/user/.ssh/authorized_keys',
    run: async (ctx, { path, recursive }) =>
      !truthy(await ctx.call('cmd.retcode', [['restorecon', recursive ? '-FR' : '-F', path]], { python_shell: false })),
  }),
  get_selinux_context: reads({
    doc: 'Return the SELinux context of a path.',
    args: { path: arg.string('Path') },
    returns: ret.string('The context as text'),
    example: 'file.get_selinux_context /etc/hosts',
    run: (ctx, { path }) => selinuxContext(ctx, path),
  }),
  set_selinux_context: changes({
    doc: 'Set the SELinux context of a path.',
    args: {
      path: arg.string('Path'),
      user: arg.text('SELinux user', { optional: true }),
      role: arg.text('SELinux role', { optional: true }),
      type: arg.text('SELinux type', { optional: true }),
      range: arg.text('SELinux range', { optional: true }),
      persist: arg.boolean('Also add the context to the policy', { default: false }),
    },
    returns: ret.orFalse(ret.string('The new context, or False on failure')),
    example: 'file.set_selinux_context path <user> <role> <type> <range>',
    run: (ctx, { path, persist, ...context }) => setSelinuxContext(ctx, path, context, persist),
  }),
}

const hashes = {
  get_sum: reads({
    doc: 'Return the hash of a file, or `File not found`.',
    args: { path, form: arg.text('Hash type', { default: 'sha256' }) },
    returns: ret.string('The hash'),
    example: 'file.get_sum /etc/passwd sha512',
    run: async (ctx, { path, form }) => {
      const whole = await expandUser(ctx, path)
      return (await isFile(ctx, whole)) ? hashFile(ctx, whole, form) : 'File not found'
    },
  }),
  get_hash: reads({
    doc: 'Return the hash of a file.',
    args: {
      path,
      form: arg.text('Hash type', { default: 'sha256' }),
      chunk_size: arg.any('Accepted for compatibility', { default: 65536 }),
    },
    returns: ret.string('The hash'),
    example: 'file.get_hash /etc/shadow',
    run: async (ctx, { path, form }) => hashFile(ctx, await expandUser(ctx, path), form),
  }),
  check_hash: reads({
    doc: 'Return whether a file has a hash.',
    args: { path, file_hash: arg.any('Hash, `type=hash` or `type:hash`; a value that is not text is refused') },
    returns: ret.boolean('Whether the hash matches'),
    example: 'file.check_hash /etc/fstab md5=d41d8cd98f00b204e9800998ecf8427e',
    run: async (ctx, { path, file_hash }) => checkHash(ctx, await expandUser(ctx, path), file_hash),
  }),
  get_source_sum: reads({
    doc: 'Return the hash that `source_hash` gives for a source.',
    args: {
      file_name: arg.text('Path of the target', { default: '' }),
      source: arg.text('URL of the source', { default: '' }),
      source_hash: arg.any('Hash, `type=hash`, or the path or URL of a file of hashes', { optional: true }),
      ...offered('source_hash_name', 'saltenv', 'verify_ssl', 'source_hash_sig', ...SIGNERS, 'sig_backend'),
    },
    returns: ret.dict('The hash (`hsum`) and its type (`hash_type`)'),
    example: 'file.get_source_sum /tmp/foo.tar.gz source=http://mydomain.tld/foo.tar.gz',
    run: async (ctx, { file_name, source, ...request }) => {
      const sum = await sourceSum(ctx, file_name, source, request)
      const isList = /^\/|:\/\//.test(textOf(request.source_hash) ?? '')
      return sumDict(sum, !isList)
    },
  }),
  extract_hash: reads({
    doc: 'Return the hash of a file from a file of hashes.',
    args: {
      hash_fn: arg.string('Path of the file of hashes'),
      hash_type: arg.text('Hash type', { default: 'sha256' }),
      file_name: arg.text('Path of the target', { default: '' }),
      source: arg.text('URL of the source', { default: '' }),
      ...offered('source_hash_name'),
    },
    returns: ret.optional(ret.dict('The hash (`hsum`) and its type (`hash_type`), or None')),
    example: 'file.extract_hash /path/to/hash/file sha512 /etc/foo',
    run: async (ctx, { hash_fn, hash_type, file_name, source, source_hash_name }) => {
      const file = { hashType: hash_type, target: file_name, source, listedName: source_hash_name }
      const sum = await extractHash(ctx, hash_fn, file)
      return sum ? sumDict(sum) : null
    },
  }),
}

export const factFunctions = { ...owners, ...states, ...attributes, ...hashes }
