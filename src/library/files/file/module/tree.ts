// Functions of `file` that make, move and remove files, directories, links, devices and backups, and those on paths.
import { typeError } from '../../../../data/mod.ts'
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
  plainPath,
  reads,
  realPath,
  ret,
} from '../../../../sdk/mod.ts'
import { deleteBackup, listBackups, listDirectoryBackups, restoreBackup } from './backups.ts'
import { copyPath, makeHardLink, makeSymlink, movePath, renamePath } from './copying.ts'
import { makeAnyNode, makeNode } from './devices.ts'
import { diskUsage, makeDirectory, makeParents, makeWithPermissions, removeEmpty, removePath } from './directories.ts'
import { failed, invalid } from './rewriting.ts'

const path = arg.any('The path')
const name = arg.any('The path')
const user = arg.any('The user it belongs to', { optional: true })
const group = arg.any('The group it belongs to', { optional: true })
const mode = arg.any('The mode, in octal', { optional: true })
const src = arg.any('The source')
const dst = arg.any('The target')
const limit = arg.text('How many at most', { optional: true })
const backup_id = arg.text('The number of the backup')

const directories = {
  mkdir: changes({
    doc: 'Make sure of a directory.',
    args: { dir_path: path, user, group, mode },
    returns: ret.boolean('True'),
    example: 'file.mkdir /opt/jetty/context',
    run: (ctx, { dir_path, user, group, mode }) => makeDirectory(ctx, dir_path, { user, group, mode }),
  }),
  makedirs: changes({
    doc: 'Make sure of the directories above a path.',
    args: { path, user, group, mode },
    returns: ret.any('None, or a text when there was nothing to make'),
    example: 'file.makedirs /opt/code/',
    calledAs: 'makedirs_',
    run: (ctx, { path, user, group, mode }) => makeParents(ctx, path, { user, group, mode }),
  }),
  makedirs_perms: changes({
    doc: 'Make a directory and those above it, all with this owner and mode.',
    args: { name, user, group, mode: arg.any('The mode, in octal', { default: '0755' }) },
    returns: ret.any('None'),
    example: 'file.makedirs_perms /opt/code',
    run: (ctx, { name, user, group, mode }) => makeWithPermissions(ctx, name, { user, group, mode }),
  }),
  rmdir: changes({
    doc: 'Remove an empty directory.',
    args: {
      path,
      recurse: arg.flag('Also the empty ones below it', { default: false }),
      verbose: arg.flag('Tell what was removed', { default: false }),
      older_than: arg.text('Only those older than so many days', { optional: true }),
    },
    returns: ret.any('Whether it worked'),
    example: 'file.rmdir /tmp/foo/',
    run: (ctx, { path, recurse, verbose, older_than }) =>
      removeEmpty(ctx, path, { recurse, verbose, olderThan: older_than }),
  }),
  remove: changes({
    doc: 'Remove a file, link, or directory with all in it.',
    args: { path, options: arg.open('Accepted for compatibility') },
    returns: ret.boolean('Whether something was there'),
    example: 'file.remove /tmp/foo',
    run: (ctx, { path }) => removePath(ctx, path),
  }),
  readdir: reads({
    doc: 'The names in a directory.',
    args: { path },
    returns: ret.texts('Their names, `.` and `..` first'),
    example: 'file.readdir /path/to/dir/',
    run: async (ctx, { path }) => {
      const whole = await expandUser(ctx, path)
      if (!isAbsolute(whole)) throw invalid('Dir path must be absolute.')
      if (!(await isDirectory(ctx, whole))) throw invalid('A valid directory was not specified.')
      return ['.', '..', ...(await ctx.host.list(whole))]
    },
  }),
  diskusage: reads({
    doc: 'The size of a file, or of all files below a directory.',
    args: { path: arg.string('The path') },
    returns: ret.number('Bytes'),
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
      recurse: arg.flag('Whether directories are copied', { default: false }),
      remove_existing: arg.flag('Whether the target is removed first', { default: false }),
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
      disallow_copy_and_unlink: arg.flag('Whether it may only be renamed', { default: false }),
    },
    returns: ret.any('True after a rename, else a dict with `result` and `comment`'),
    example: 'file.move /path/to/src /path/to/dst',
    run: (ctx, { src, dst, disallow_copy_and_unlink }) =>
      disallow_copy_and_unlink ? renamePath(ctx, src, dst) : movePath(ctx, src, dst),
  }),
  link: changes({
    doc: 'Give a file a further name.',
    args: { src, path: arg.string('The new name') },
    returns: ret.boolean('True'),
    example: 'file.link /path/to/file /path/to/link',
    run: (ctx, { src, path }) => makeHardLink(ctx, src, path),
  }),
  symlink: changes({
    doc: 'Make a link.',
    args: {
      src: arg.string('What it points to'),
      path,
      force: arg.flag('Whether something that is there gives way', { default: false }),
      atomic: arg.flag('Whether it takes its place at once', { default: false }),
      follow_symlinks: arg.flag('Whether a link that is there stands for its target', { default: true }),
    },
    returns: ret.boolean('True'),
    example: 'file.symlink /path/to/file /path/to/link',
    run: (ctx, { src, path, force, atomic, follow_symlinks }) =>
      makeSymlink(ctx, src, path, { force, atomic, follow: follow_symlinks }),
  }),
  readlink: reads({
    doc: 'What a link points to.',
    args: { path, canonicalize: arg.flag('With all links on the way followed', { default: false }) },
    returns: ret.string('The target'),
    example: 'file.readlink /path/to/link',
    run: async (ctx, { path, canonicalize }) => {
      const whole = await expandVariables(ctx, await expandUser(ctx, path))
      if (!isAbsolute(whole)) throw invalid(`Path to link must be absolute: ${whole}`)
      if (!(await isLink(ctx, whole))) throw invalid(`A valid link was not specified: ${whole}`)
      if (canonicalize) return realPath(ctx, whole)
      try {
        return await ctx.host.readLink(whole)
      } catch (error) {
        if (isHostError(error)) throw failed(error.message)
        throw error
      }
    },
  }),
}

const deviceMode = arg.any('The mode, in octal', { default: '0660' })
const major = arg.any('The major number')
const minor = arg.any('The minor number')

const devices = {
  mknod_chrdev: changes({
    doc: 'Make a character device.',
    args: { name, major, minor, user, group, mode: deviceMode },
    returns: ret.dict('What a state would answer'),
    example: 'file.mknod_chrdev /dev/chr 180 31',
    run: (ctx, { name, ...node }) => makeNode(ctx, name, { ...node, kind: 'c' }),
  }),
  mknod_blkdev: changes({
    doc: 'Make a block device.',
    args: { name, major, minor, user, group, mode: deviceMode },
    returns: ret.dict('What a state would answer'),
    example: 'file.mknod_blkdev /dev/blk 8 999',
    run: (ctx, { name, ...node }) => makeNode(ctx, name, { ...node, kind: 'b' }),
  }),
  mknod_fifo: changes({
    doc: 'Make a pipe.',
    args: { name, user, group, mode: deviceMode },
    returns: ret.dict('What a state would answer'),
    example: 'file.mknod_fifo /dev/fifo',
    run: (ctx, { name, ...node }) => makeNode(ctx, name, { ...node, kind: 'p' }),
  }),
  mknod: changes({
    doc: 'Make a device or pipe.',
    args: {
      name,
      ntype: arg.text('c, b or p'),
      major: arg.any('The major number', { default: 0 }),
      minor: arg.any('The minor number', { default: 0 }),
      user,
      group,
      mode: arg.any('The mode, in octal', { default: '0600' }),
    },
    returns: ret.dict('What a state would answer'),
    example: 'file.mknod /dev/chr c 180 31',
    run: (ctx, { name, ntype, ...node }) => makeAnyNode(ctx, name, ntype, node),
  }),
}

const list_backups = reads({
  doc: 'The backups of a file.',
  args: { path, limit },
  returns: ret.dict('By number, the newest first'),
  example: 'file.list_backups /foo/bar/baz.txt',
  run: (ctx, { path, limit }) => listBackups(ctx, path, limit),
})

const delete_backup = changes({
  doc: 'Delete a backup.',
  args: { path, backup_id },
  returns: ret.dict('How it went'),
  example: 'file.delete_backup /var/cache/salt/minion/file_backup/home/foo/bar/baz.txt 0',
  run: (ctx, { path, backup_id }) => deleteBackup(ctx, path, backup_id),
})

const backups = {
  list_backups,
  list_backup: list_backups,
  list_backups_dir: reads({
    doc: 'The backups of the files in a directory.',
    args: { path, limit },
    returns: ret.dict('By file, and then by number'),
    example: 'file.list_backups_dir /foo/bar/baz/',
    run: (ctx, { path, limit }) => listDirectoryBackups(ctx, path, limit),
  }),
  restore_backup: changes({
    doc: 'Put a backup back in its place.',
    args: { path, backup_id },
    returns: ret.dict('How it went'),
    example: 'file.restore_backup /foo/bar/baz.txt 0',
    run: (ctx, { path, backup_id }) => restoreBackup(ctx, path, backup_id),
  }),
  delete_backup,
  remove_backup: delete_backup,
}

const onPath = (doc: string, example: string, run: (path: string) => string) =>
  reads({
    doc,
    args: { path: arg.any('The path') },
    returns: ret.string('The result'),
    example: `file.${example}`,
    run: (_ctx, { path }) => run(plainPath(path)),
  })

const paths = {
  pardir: reads({
    doc: 'How the directory above is written.',
    args: {},
    returns: ret.string('`..`'),
    example: 'file.pardir',
    run: () => '..',
  }),
  normpath: onPath('A path without detours.', 'normpath /a/../b', normalPath),
  basename: onPath('The last name of a path.', 'basename /a/b', baseName),
  dirname: onPath('The directory of a path.', 'dirname /a/b', dirName),
  join: reads({
    doc: 'Paths joined.',
    args: { args: arg.rest('Paths') },
    returns: ret.string('The path'),
    example: 'file.join /usr local bin',
    run: (_ctx, { args }) => {
      if (args.length === 0) throw typeError("join() missing 1 required positional argument: 'a'")
      return joinPaths(...args.map(joinable))
    },
  }),
}

export const treeFunctions = { ...directories, ...moving, ...devices, ...backups, ...paths }
