// Functions of `file` that create, move and remove files, directories, links, devices and backups, and functions on paths.
import { failure, misuse, typeError } from '../../../../data/mod.ts'
import {
  arg,
  baseName,
  changes,
  dirName,
  expandUser,
  expandVariables,
  isAbsolute,
  isDirectory,
  isHostError,
  isLink,
  joinable,
  joinPaths,
  normalPath,
  reads,
  realPath,
  ret,
} from '../../../../sdk/mod.ts'
import { offered, required } from '../managed-request.ts'
import { deleteBackup, listBackups, listDirectoryBackups, restoreBackup } from './backups.ts'
import { copyPath, makeHardLink, makeSymlink, movePath, renamePath } from './copying.ts'
import { makeAnyNode, makeNode } from './devices.ts'
import { diskUsage, makeDirectory, makeParents, makeWithPermissions, removeEmpty, removePath } from './directories.ts'

const path = arg.path('Path')
const { name } = required('name')
const { user, group, mode } = offered('user', 'group', 'mode')
const src = arg.path('Path of the source')
const dst = arg.path('Path of the target')
const limit = arg.text('Maximum number of backups', { optional: true })
const backup_id = arg.text('Number of the backup, as `file.list_backups` shows it')
const report = ret.dict('Report of a state')
const outcome = ret.dict('`result` and `comment`')

const directories = {
  mkdir: changes({
    doc: 'Create a directory and its parents unless they exist.',
    args: { dir_path: path, user, group, mode },
    returns: ret.boolean('True'),
    example: 'file.mkdir /opt/jetty/context',
    run: (ctx, { dir_path, user, group, mode }) => makeDirectory(ctx, dir_path, { user, group, mode }),
  }),
  makedirs: changes({
    doc: 'Create the parent directories of a path.',
    args: { path, user, group, mode },
    returns: ret.optional(ret.string('None, or a message when the directory exists')),
    example: 'file.makedirs /opt/code/',
    calledAs: 'makedirs_',
    run: (ctx, { path, user, group, mode }) => makeParents(ctx, path, { user, group, mode }),
  }),
  makedirs_perms: changes({
    doc: 'Create a directory and its parents, all with the same owner and mode.',
    args: { name, user, group, mode: arg.textOrNumber('Mode in octal: text or a number', { default: '0755' }) },
    returns: ret.none('None'),
    example: 'file.makedirs_perms /opt/code',
    run: (ctx, { name, user, group, mode }) => makeWithPermissions(ctx, name, { user, group, mode }),
  }),
  rmdir: changes({
    doc: 'Remove an empty directory.',
    args: {
      path,
      recurse: arg.flag('Also remove the empty directories below it', { default: false }),
      verbose: arg.flag('Return the removed directories and the errors', { default: false }),
      older_than: arg.text('Age in days, to remove only older directories', { optional: true }),
    },
    returns: ret.any('True on success; a dict with `verbose`'),
    example: 'file.rmdir /tmp/foo/',
    run: (ctx, { path, recurse, verbose, older_than }) => removeEmpty(ctx, path, { recurse, verbose, older_than }),
  }),
  remove: changes({
    doc: 'Remove a file, a link, or a directory with its content.',
    args: { path, options: arg.open('Accepted for compatibility') },
    returns: ret.boolean('False when the path does not exist'),
    example: 'file.remove /tmp/foo',
    run: (ctx, { path }) => removePath(ctx, path),
  }),
  readdir: reads({
    doc: 'Return the names in a directory.',
    args: { path },
    returns: ret.texts('The names, `.` and `..` first'),
    example: 'file.readdir /path/to/dir/',
    run: async (ctx, { path }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw misuse('Dir path must be absolute.')
      if (!(await isDirectory(ctx, whole))) throw misuse('A valid directory was not specified.')
      return ['.', '..', ...(await ctx.host.list(whole))]
    },
  }),
  diskusage: reads({
    doc: 'Return the size of a file, or of all files below a directory.',
    args: { path: arg.string('Path') },
    returns: ret.number('Size in bytes'),
    example: 'file.diskusage /path/to/check',
    run: (ctx, { path }) => diskUsage(ctx, path),
  }),
}

const moving = {
  copy: changes({
    doc: 'Copy a file or directory.',
    args: {
      src,
      dst,
      recurse: arg.flag('Copy directories', { default: false }),
      remove_existing: arg.flag('Remove the target first', { default: false }),
    },
    returns: ret.boolean('True'),
    example: 'file.copy /path/to/src /path/to/dst',
    run: (ctx, { src, dst, recurse, remove_existing }) =>
      copyPath(ctx, src, dst, { recurse, removeExisting: remove_existing }),
  }),
  rename: changes({
    doc: 'Rename a file or directory.',
    args: { src, dst },
    returns: ret.boolean('True'),
    example: 'file.rename /path/to/src /path/to/dst',
    run: (ctx, { src, dst }) => renamePath(ctx, src, dst),
  }),
  move: changes({
    doc: 'Move a file or directory.',
    args: {
      src,
      dst,
      disallow_copy_and_unlink: arg.flag('Fail when the source would have to be copied', { default: false }),
    },
    returns: ret.any('True after a rename, else a dict with `result` and `comment`'),
    example: 'file.move /path/to/src /path/to/dst',
    run: (ctx, { src, dst, disallow_copy_and_unlink }) =>
      disallow_copy_and_unlink ? renamePath(ctx, src, dst) : movePath(ctx, src, dst),
  }),
  link: changes({
    doc: 'Create a hard link.',
    args: { src, path: arg.string('Path of the link') },
    returns: ret.boolean('True'),
    example: 'file.link /path/to/file /path/to/link',
    run: (ctx, { src, path }) => makeHardLink(ctx, src, path),
  }),
  symlink: changes({
    doc: 'Create a symbolic link.',
    args: {
      src: arg.string('Target of the link'),
      path,
      force: arg.flag('Replace an existing path', { default: false }),
      atomic: arg.flag('Replace an existing path atomically', { default: false }),
      follow_symlinks: arg.flag('Follow an existing link when the path is tested', { default: true }),
    },
    returns: ret.boolean('True'),
    example: 'file.symlink /path/to/file /path/to/link',
    run: (ctx, { src, path, force, atomic, follow_symlinks }) =>
      makeSymlink(ctx, src, path, { force, atomic, follow: follow_symlinks }),
  }),
  readlink: reads({
    doc: 'Return the target of a symbolic link.',
    args: { path, canonicalize: arg.flag('Follow all links', { default: false }) },
    returns: ret.string('The target'),
    example: 'file.readlink /path/to/link',
    run: async (ctx, { path, canonicalize }) => {
      const whole = await expandVariables(ctx, await expandUser(ctx, path))
      if (!isAbsolute(whole)) throw misuse(`Path to link must be absolute: ${whole}`)
      if (!(await isLink(ctx, whole))) throw misuse(`A valid link was not specified: ${whole}`)
      if (canonicalize) return realPath(ctx, whole)
      try {
        return await ctx.host.readLink(whole)
      } catch (error) {
        if (isHostError(error)) throw failure(error.message)
        throw error
      }
    },
  }),
}

const deviceMode = arg.textOrNumber('Mode in octal: text or a number', { default: '0660' })
const major = arg.textOrNumber('Major number: a number, or text of one')
const minor = arg.textOrNumber('Minor number: a number, or text of one')

const devices = {
  mknod_chrdev: changes({
    doc: 'Create a character device.',
    args: { name, major, minor, user, group, mode: deviceMode },
    returns: report,
    example: 'file.mknod_chrdev /dev/chr 180 31',
    run: (ctx, { name, ...node }) => makeNode(ctx, name, { ...node, kind: 'c' }),
  }),
  mknod_blkdev: changes({
    doc: 'Create a block device.',
    args: { name, major, minor, user, group, mode: deviceMode },
    returns: report,
    example: 'file.mknod_blkdev /dev/blk 8 999',
    run: (ctx, { name, ...node }) => makeNode(ctx, name, { ...node, kind: 'b' }),
  }),
  mknod_fifo: changes({
    doc: 'Create a named pipe.',
    args: { name, user, group, mode: deviceMode },
    returns: report,
    example: 'file.mknod_fifo /dev/fifo',
    run: (ctx, { name, ...node }) => makeNode(ctx, name, { ...node, kind: 'p' }),
  }),
  mknod: changes({
    doc: 'Create a device or a named pipe.',
    args: {
      name,
      ntype: arg.text('Type: `c` for a character device, `b` for a block device, `p` for a pipe'),
      major: arg.textOrNumber('Major number: a number, or text of one', { default: 0 }),
      minor: arg.textOrNumber('Minor number: a number, or text of one', { default: 0 }),
      user,
      group,
      mode: arg.textOrNumber('Mode in octal: text or a number', { default: '0600' }),
    },
    returns: report,
    example: 'file.mknod /dev/chr c 180 31',
    run: (ctx, { name, ntype, ...node }) => makeAnyNode(ctx, name, ntype, node),
  }),
}

const list_backups = reads({
  doc: 'Return the backups of a file.',
  args: { path, limit },
  returns: ret.dict('Backups by number, the newest first'),
  example: 'file.list_backups /foo/bar/baz.txt',
  run: (ctx, { path, limit }) => listBackups(ctx, path, limit),
})

const delete_backup = changes({
  doc: 'Delete a backup.',
  args: { path, backup_id },
  returns: outcome,
  example: 'file.delete_backup /var/cache/salt/minion/file_backup/home/foo/bar/baz.txt 0',
  run: (ctx, { path, backup_id }) => deleteBackup(ctx, path, backup_id),
})

const backups = {
  list_backups,
  list_backup: list_backups,
  list_backups_dir: reads({
    doc: 'Return the backups of the files in a directory.',
    args: { path, limit },
    returns: ret.dict('Backups by file and number'),
    example: 'file.list_backups_dir /foo/bar/baz/',
    run: (ctx, { path, limit }) => listDirectoryBackups(ctx, path, limit),
  }),
  restore_backup: changes({
    doc: 'Restore a backup.',
    args: { path, backup_id },
    returns: outcome,
    example: 'file.restore_backup /foo/bar/baz.txt 0',
    run: (ctx, { path, backup_id }) => restoreBackup(ctx, path, backup_id),
  }),
  delete_backup,
  remove_backup: delete_backup,
}

/** Declare a function of a path. */
const onPath = (doc: string, example: string, run: (path: string) => string) =>
  reads({
    doc,
    args: { path },
    returns: ret.string('The result'),
    example: `file.${example}`,
    run: (_ctx, { path }) => run(path),
  })

const paths = {
  pardir: reads({
    doc: 'Return the notation of a parent directory.',
    returns: ret.string('`..`'),
    run: () => '..',
  }),
  normpath: onPath('Return a path without redundant parts.', 'normpath /a/../b', normalPath),
  basename: onPath('Return the last part of a path.', 'basename /a/b', baseName),
  dirname: onPath('Return the directory of a path.', 'dirname /a/b', dirName),
  join: reads({
    doc: 'Join paths.',
    args: { args: arg.rest('Paths to join') },
    returns: ret.string('The path'),
    example: 'file.join /usr local bin',
    run: (_ctx, { args }) => {
      if (args.length === 0) throw typeError("join() missing 1 required positional argument: 'a'")
      return joinPaths(...args.map(joinable))
    },
  }),
}

export const treeFunctions = { ...directories, ...moving, ...devices, ...backups, ...paths }
