// Functions of `file` that tell or set facts about files: owners, modes, attributes, hashes.
import { float, PyError, SaltError, str, textOf, truthy, tuple, type Value } from '../../../../data/mod.ts'
import {
  arg,
  changes,
  expandUser,
  type FunctionContext,
  globPaths,
  isAbsolute,
  isDirectory,
  isFile,
  isLink,
  reads,
  ret,
} from '../../../../sdk/mod.ts'
import { changeAttributes, listAttributes, selinuxContext, setSelinuxContext } from './attributes.ts'
import { deviceNumbers, hasType } from './devices.ts'
import { checkHash, extractHash, hashFile, sourceSum, sumDict } from './hashing.ts'
import { openFiles } from './open-files.ts'
import { checkPermissions } from './permissions.ts'
import { invalid } from './rewriting.ts'
import { verifySignature } from './signatures.ts'
import { chown, gidToGroup, groupToGid, lchown, setMode, stats, uidToUser, userToUid } from './stats.ts'

const path = arg.any('The path')
const name = arg.any('The path')
const user = arg.any('The user: a name or a number')
const group = arg.any('The group: a name or a number')
const follow_symlinks = arg.boolean('Whether a link stands for its target', { default: true })

/** A function that tells one fact. */
const fact = (doc: string, key: 'uid' | 'gid' | 'user' | 'group' | 'mode') =>
  reads({
    doc,
    args: { path, follow_symlinks },
    returns: ret.any('The fact'),
    example: `file.get_${key} /etc/passwd`,
    run: async (ctx, { path, follow_symlinks }) => (await stats(ctx, path, { follow: follow_symlinks }))[key],
  })

const test = (doc: string, name: string, run: (ctx: FunctionContext, path: Value) => Promise<boolean>) =>
  reads({
    doc,
    args: { path },
    returns: ret.boolean('Whether it is'),
    example: `file.${name} /etc/passwd`,
    run: (ctx, { path }) => run(ctx, path),
  })

const device = (doc: string, run: (ctx: FunctionContext, name: Value) => Promise<boolean>) =>
  reads({
    doc,
    args: { name },
    returns: ret.boolean('Whether it is'),
    run: (ctx, { name }) => run(ctx, name),
  })

const owners = {
  uid_to_user: reads({
    doc: 'The name of a user.',
    args: { uid: arg.any('The number') },
    returns: ret.any('The name, or the number when nobody has it'),
    example: 'file.uid_to_user 0',
    run: (ctx, { uid }) => {
      if (textOf(uid) !== undefined) throw new PyError('TypeError', 'uid should be integer, not str')
      return uidToUser(ctx, uid)
    },
  }),
  user_to_uid: reads({
    doc: 'The number of a user.',
    args: { user },
    returns: ret.any('The number, or an empty text'),
    example: 'file.user_to_uid root',
    run: (ctx, { user }) => userToUid(ctx, user),
  }),
  gid_to_group: reads({
    doc: 'The name of a group.',
    args: { gid: arg.any('The number') },
    returns: ret.any('The name, or the number when there is no such group'),
    example: 'file.gid_to_group 0',
    run: (ctx, { gid }) => gidToGroup(ctx, gid),
  }),
  group_to_gid: reads({
    doc: 'The number of a group.',
    args: { group },
    returns: ret.any('The number, or an empty text'),
    example: 'file.group_to_gid root',
    run: (ctx, { group }) => groupToGid(ctx, group),
  }),
  get_uid: fact('The number of the user a file belongs to.', 'uid'),
  get_user: fact('The name of the user a file belongs to.', 'user'),
  get_gid: fact('The number of the group a file belongs to.', 'gid'),
  get_group: fact('The name of the group a file belongs to.', 'group'),
  get_mode: fact('The mode of a file.', 'mode'),
  set_mode: changes({
    doc: 'Set the mode of a file.',
    args: { path, mode: arg.any('The mode, in octal') },
    returns: ret.string('The mode it has now'),
    example: 'file.set_mode /etc/passwd 0644',
    run: (ctx, { path, mode }) => setMode(ctx, path, mode),
  }),
  chown: changes({
    doc: 'Set the user and group of a file.',
    args: { path, user, group },
    returns: ret.optional(ret.string('What went wrong, or None')),
    example: 'file.chown /etc/passwd root root',
    run: (ctx, { path, user, group }) => chown(ctx, path, user, group),
  }),
  lchown: changes({
    doc: 'Set the user and group of a link itself.',
    args: { path, user, group },
    returns: ret.none('None'),
    example: 'file.chown /etc/passwd root root',
    run: (ctx, { path, user, group }) => lchown(ctx, path, user, group),
  }),
  chgrp: changes({
    doc: 'Set the group of a file.',
    args: { path, group },
    returns: ret.optional(ret.string('What went wrong, or None')),
    example: 'file.chgrp /etc/passwd root',
    run: async (ctx, { path, group }) => chown(ctx, path, (await stats(ctx, path)).user, group),
  }),
  check_perms: changes({
    doc: 'Bring owner, group, mode and attributes of a file to what is wanted.',
    args: {
      name,
      ret: arg.any('The answer of a state to add to'),
      user,
      group,
      mode: arg.any('The mode, in octal'),
      attrs: arg.any('Attributes as `chattr` names them', { optional: true }),
      follow_symlinks: arg.boolean('Whether a link stands for its target', { default: false }),
      seuser: arg.any('The user of the SELinux context', { optional: true }),
      serole: arg.any('The role of the SELinux context', { optional: true }),
      setype: arg.any('The type of the SELinux context', { optional: true }),
      serange: arg.any('The range of the SELinux context', { optional: true }),
    },
    returns: ret.list('The answer of a state, and the facts before and after'),
    example: "file.check_perms /etc/sudoers '{}' root root 400 ai",
    run: async (
      ctx,
      { name, ret: given, user, group, mode, attrs, follow_symlinks, seuser, serole, setype, serange },
    ) => {
      const selinux = { user: seuser, role: serole, type: setype, range: serange }
      const wanted = { user, group, mode, attrs, follow: follow_symlinks, selinux }
      const { ret: answer, perms } = await checkPermissions(ctx, name, given, wanted)
      return tuple([answer, perms])
    },
  }),
}

const states = {
  stats: reads({
    doc: 'What is known about a file.',
    args: { path, hash_type: arg.any('Also tell its hash', { optional: true }), follow_symlinks },
    returns: ret.dict('Its facts'),
    example: 'file.stats /etc/passwd',
    run: async (ctx, { path, hash_type, follow_symlinks }) =>
      (await stats(ctx, path, { hashType: hash_type, follow: follow_symlinks })).dict,
  }),
  lstat: reads({
    doc: 'What the system tells about a file or link.',
    args: { path },
    returns: ret.dict('Its facts; empty when nothing is there'),
    example: 'file.lstat /path/to/file',
    run: async (ctx, { path }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw invalid('Path to file must be absolute.')
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
    doc: 'What the system tells about the file system a path is on.',
    args: { path },
    returns: ret.dict('Its facts'),
    example: 'file.statvfs /path/to/file',
    run: async (ctx, { path }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw invalid('File path must be absolute.')
      if (!(await ctx.host.stat(whole))) throw new SaltError('CommandExecutionError', `Could not statvfs '${whole}'`)
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
    doc: 'Whether a path can be accessed.',
    args: { path, mode: arg.any('`f` for existence, `r`, `w` or `x`') },
    returns: ret.boolean('Whether it can'),
    example: 'file.access /path/to/file f',
    run: async (ctx, { path, mode }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw invalid('Path to link must be absolute.')
      const wishes = {
        f: 'exists',
        r: 'read',
        w: 'write',
        x: 'execute',
        0: 'exists',
        4: 'read',
        2: 'write',
        1: 'execute',
      } as const
      const wish = Object.hasOwn(wishes, str(mode)) ? wishes[str(mode) as keyof typeof wishes] : undefined
      if (wish === undefined) throw invalid('Invalid mode specified.')
      return ctx.host.access(whole, wish)
    },
  }),
  file_exists: test('Whether a path is a file.', 'file_exists', async (ctx, given) =>
    isFile(ctx, await expandUser(ctx, given)),
  ),
  directory_exists: test('Whether a path is a directory.', 'directory_exists', async (ctx, given) =>
    isDirectory(ctx, await expandUser(ctx, given)),
  ),
  path_exists_glob: test(
    'Whether a glob matches anything.',
    'path_exists_glob',
    async (ctx, given) => (await globPaths(ctx, await expandUser(ctx, given))).length > 0,
  ),
  is_hardlink: reads({
    doc: 'Whether a file has further names.',
    args: { path },
    returns: ret.any('Whether it has; nothing when it is not there'),
    example: 'file.is_hardlink /path/to/link',
    run: async (ctx, { path }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw invalid('Path to file must be absolute.')
      const stat = await ctx.host.lstat(whole)
      return stat === undefined ? {} : stat.links > 1
    },
  }),
  is_link: reads({
    doc: 'Whether a path is a link.',
    args: { path, nostat: arg.boolean('Accepted for compatibility', { default: false }) },
    returns: ret.boolean('Whether it is'),
    example: 'file.is_link /path/to/link',
    run: async (ctx, { path }) => isLink(ctx, await expandUser(ctx, path)),
  }),
  is_chrdev: device('Whether a path is a character device.', (ctx, given) => hasType(ctx, given, 'char')),
  is_blkdev: device('Whether a path is a block device.', (ctx, given) => hasType(ctx, given, 'block')),
  is_fifo: device('Whether a path is a pipe.', (ctx, given) => hasType(ctx, given, 'fifo')),
  get_devmm: reads({
    doc: 'The numbers of a device.',
    args: { name },
    returns: ret.list('The major and the minor number'),
    example: 'file.get_devmm /dev/chr',
    run: async (ctx, { name }) => tuple(await deviceNumbers(ctx, name)),
  }),
  open_files: reads({
    doc: 'The files that processes have open.',
    args: { by_pid: arg.boolean('By process instead of by file', { default: false }) },
    returns: ret.dict('Processes by file, or files by process'),
    example: 'file.open_files',
    run: (ctx, { by_pid }) => openFiles(ctx, by_pid),
  }),
}

const attributes = {
  lsattr: reads({
    doc: 'The attributes of a file.',
    args: { path: arg.string('The path') },
    returns: ret.optional(ret.dict('Letters by file')),
    example: 'file.lsattr foo1.txt',
    run: (ctx, { path }) => listAttributes(ctx, path),
  }),
  chattr: changes({
    doc: 'Change the attributes of files.',
    args: { files: arg.rest('Paths'), options: arg.open('`operator`, `attributes`, `flags` and `version`') },
    returns: ret.boolean('Whether it worked'),
    example: 'file.chattr foo1.txt foo2.txt operator=add attributes=ai',
    run: (ctx, { files, options }) => {
      const given = (key: string): Value => options.get(key) ?? null
      const [operator, attributes, flags, version] = ['operator', 'attributes', 'flags', 'version'].map(given)
      return changeAttributes(ctx, files, {
        operator: operator!,
        attributes: attributes!,
        flags: flags!,
        version: version!,
      })
    },
  }),
  restorecon: changes({
    doc: 'Reset the SELinux context of a path.',
    args: { path: arg.string('The path'), recursive: arg.boolean('Also of all below', { default: false }) },
    returns: ret.boolean('Whether it worked'),
    example: 'file.restorecon /home/user/.ssh/authorized_keys',
    run: async (ctx, { path, recursive }) =>
      !truthy(await ctx.call('cmd.retcode', [['restorecon', recursive ? '-FR' : '-F', path]], { python_shell: false })),
  }),
  get_selinux_context: reads({
    doc: 'The SELinux context of a path.',
    args: { path: arg.string('The path') },
    returns: ret.string('The context'),
    example: 'file.get_selinux_context /etc/hosts',
    run: (ctx, { path }) => selinuxContext(ctx, path),
  }),
  set_selinux_context: changes({
    doc: 'Set the SELinux context of a path.',
    args: {
      path: arg.string('The path'),
      user: arg.any('The user', { optional: true }),
      role: arg.any('The role', { optional: true }),
      type: arg.any('The type', { optional: true }),
      range: arg.any('The range', { optional: true }),
      persist: arg.boolean('Also in the policy', { default: false }),
    },
    returns: ret.any('The new context, or False'),
    example: 'file.set_selinux_context path <user> <role> <type> <range>',
    run: (ctx, { path, persist, ...wish }) => setSelinuxContext(ctx, path, wish, persist),
  }),
}

const hashes = {
  get_sum: reads({
    doc: 'The hash of a file, or a text when there is none.',
    args: { path, form: arg.any('The kind of hash', { default: 'sha256' }) },
    returns: ret.string('The hash'),
    example: 'file.get_sum /etc/passwd sha512',
    run: async (ctx, { path, form }) => {
      const whole = await expandUser(ctx, path)
      return (await isFile(ctx, whole)) ? hashFile(ctx, whole, form) : 'File not found'
    },
  }),
  get_hash: reads({
    doc: 'The hash of a file.',
    args: {
      path,
      form: arg.any('The kind of hash', { default: 'sha256' }),
      chunk_size: arg.any('Accepted for compatibility', { default: 65536 }),
    },
    returns: ret.string('The hash'),
    example: 'file.get_hash /etc/shadow',
    run: async (ctx, { path, form }) => hashFile(ctx, await expandUser(ctx, path), form),
  }),
  check_hash: reads({
    doc: 'Whether a file has a hash.',
    args: { path, file_hash: arg.any('The hash, or its kind, `=` or `:`, and the hash') },
    returns: ret.boolean('Whether it has'),
    example: 'file.check_hash /etc/fstab md5=d41d8cd98f00b204e9800998ecf8427e',
    run: (ctx, { path, file_hash }) => checkHash(ctx, path, file_hash),
  }),
  get_source_sum: reads({
    doc: 'The hash that a `source_hash` means.',
    args: {
      file_name: arg.any('The target', { default: '' }),
      source: arg.any('The source', { default: '' }),
      source_hash: arg.any('A hash, or where hashes are listed', { optional: true }),
      source_hash_name: arg.any('The name in the list', { optional: true }),
      saltenv: arg.text('The environment', { default: 'base' }),
      verify_ssl: arg.flag('Whether certificates are checked', { default: true }),
      source_hash_sig: arg.any('The signature of the list', { optional: true }),
      signed_by_any: arg.any('Keys of which one must have signed', { optional: true }),
      signed_by_all: arg.any('Keys that must all have signed', { optional: true }),
      keyring: arg.any('The keyring', { optional: true }),
      gnupghome: arg.any('The home of GnuPG', { optional: true }),
      sig_backend: arg.any('The module that checks signatures', { default: 'gpg' }),
    },
    returns: ret.dict('The hash and its kind'),
    example: 'file.get_source_sum /tmp/foo.tar.gz source=http://mydomain.tld/foo.tar.gz',
    run: async (
      ctx,
      { file_name, source, source_hash, source_hash_name, saltenv, verify_ssl, source_hash_sig, ...keys },
    ) => {
      const options = new Map<string, Value>(Object.entries(keys))
      const verify = (file: string) =>
        verifySignature(ctx, file, source_hash_sig, { saltenv, verifySsl: verify_ssl, options })
      const sum = await sourceSum(ctx, {
        fileName: file_name,
        source,
        sourceHash: source_hash,
        sourceHashName: source_hash_name,
        saltenv,
        verifySsl: verify_ssl,
        ...(source_hash_sig !== null && source_hash_sig !== false && { verify }),
      })
      const isList = /^\/|:\/\//.test(textOf(source_hash) ?? '')
      return sumDict(sum, !isList)
    },
  }),
  extract_hash: reads({
    doc: 'The hash of a file from a list of hashes.',
    args: {
      hash_fn: arg.string('Where the list is'),
      hash_type: arg.any('The kind of hash', { default: 'sha256' }),
      file_name: arg.any('The target', { default: '' }),
      source: arg.any('The source', { default: '' }),
      source_hash_name: arg.any('The name in the list', { optional: true }),
    },
    returns: ret.optional(ret.dict('The hash and its kind, or None')),
    example: 'file.extract_hash /path/to/hash/file sha512 /etc/foo',
    run: async (ctx, { hash_fn, hash_type, file_name, source, source_hash_name }) => {
      const request = { hashType: hash_type, fileName: file_name, source, sourceHashName: source_hash_name }
      const sum = await extractHash(ctx, hash_fn, request)
      return sum ? sumDict(sum) : null
    },
  }),
}

export const factFunctions = { ...owners, ...states, ...attributes, ...hashes }
