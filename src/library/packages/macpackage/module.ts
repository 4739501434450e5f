// Packages, applications and disk images of macOS.
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  namesIn,
  outputOf,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Return whether a path is a pattern such as `/Volumes/x/*.pkg`, which only a shell expands. */
const isPattern = (path: string): boolean => path.includes('*.')
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`)

async function packageIds(ctx: FunctionContext, path: string): Promise<string[]> {
  const folder = await ctx.host.tempDirectory({ prefix: 'pkg-' })
  try {
    const shell = { python_shell: true, output_loglevel: 'quiet' }
    const file = isPattern(path) ? path : quoted(path)
    const listing = await ctx.call('cmd.run', [`xar -t -f ${file} | grep PackageInfo`], shell)
    if (listing.includes('Error opening')) return bundleId(ctx, path)
    const files = listing.split('\n')
    await ctx.call('cmd.run', [`xar -x -f ${file} ${files.join(' ')}`], {
      cwd: folder,
      python_shell: isPattern(path),
      output_loglevel: 'quiet',
    })
    const ids: string[] = []
    for (const name of files) ids.push(...(await idsIn(ctx, `${folder}/${name}`)))
    return ids
  } finally {
    await ctx.host.removeDirectory(folder, { recursive: true })
  }
}

async function idsIn(ctx: FunctionContext, path: string): Promise<string[]> {
  if ((await ctx.host.stat(path))?.type !== 'file') return []
  const text = Buffer.from(await ctx.host.read(path)).toString()
  return [...text.matchAll(/identifier="([a-zA-Z.0-9-]*)"/g)].map((match) => match[1]!)
}

async function bundleId(ctx: FunctionContext, path: string): Promise<string[]> {
  const plist = `${path}/Contents/Info.plist`
  const words = ['/usr/libexec/PlistBuddy', '-c', 'print :CFBundleIdentifier', plist]
  const output = await outputOf(ctx, words)
  return output.includes('Does Not Exist') ? [] : [output]
}

async function packagesBelow(ctx: FunctionContext, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await namesIn(ctx.host, folder)) {
    const path = `${folder}/${name}`
    if (name.endsWith('.pkg')) found.push(path)
    if ((await ctx.host.lstat(path))?.type === 'directory') found.push(...(await packagesBelow(ctx, path)))
  }
  return found
}

const pkg = arg.text('Path of the package file')

const app = arg.text('Path of the application')

export default defineModule({
  name: 'macpackage',
  doc: 'Install packages and applications of macOS.',
  when: ({ grains }) => grains.get('kernel') === 'Darwin' || 'Only available on Mac OS systems with pipes',
  functions: {
    install: changes({
      doc: 'Install a package file.',
      args: {
        pkg,
        target: arg.text('Volume or domain to install to', { default: 'LocalSystem' }),
        store: arg.flag('Install as a package of the App Store', { default: false }),
        allow_untrusted: arg.flag('Accept an untrusted signature', { default: false }),
      },
      returns: ret.dict('Outcome as `cmd.run_all` returns it'),
      example: 'macpackage.install test.pkg',
      run: async (ctx, { pkg: path, target, store, allow_untrusted }) => {
        const options = [...(store ? ['-store'] : []), ...(allow_untrusted ? ['-allowUntrusted'] : [])]
        const line = ['installer', '-pkg', isPattern(path) ? path : quoted(path), '-target', quoted(target), ...options]
        return { ...(await runAll(ctx, line.join(' '), { python_shell: isPattern(path) })) }
      },
    }),
    install_app: changes({
      doc: 'Copy an application to a directory.',
      args: { app, target: arg.text('Destination directory, or path ending in `.app`', { default: '/Applications/' }) },
      returns: ret.string('Output of rsync'),
      example: 'macpackage.install_app /tmp/tmp.app /Applications/',
      run: (ctx, { app, target }) => {
        const source = app.replace(/\/$/, '')
        const whole = target.endsWith('.app') ? target : `${target.replace(/\/$/, '')}/${baseOf(source)}`
        return outputOf(ctx, ['rsync', '-a', '--delete', `${source}/`, whole])
      },
    }),
    uninstall_app: changes({
      doc: 'Remove an application.',
      args: { app },
      returns: ret.boolean('Whether the application was removed'),
      example: 'macpackage.uninstall_app /Applications/app.app',
      run: (ctx, { app }) => ctx.call('file.remove', [app]),
    }),
    mount: changes({
      doc: 'Mount a disk image on a new directory.',
      args: { dmg: arg.text('Path of the disk image') },
      returns: ret.texts('Output of hdiutil, and the directory'),
      example: 'macpackage.mount /tmp/software.dmg',
      run: async (ctx, { dmg }) => {
        const folder = await ctx.host.tempDirectory({ prefix: 'dmg-' })
        const words = ['hdiutil', 'attach', '-readonly', '-nobrowse', '-mountpoint', folder, dmg]
        return [await outputOf(ctx, words), folder]
      },
    }),
    unmount: changes({
      doc: 'Unmount a disk image.',
      args: { mountpoint: arg.text('Mount point or device') },
      returns: ret.string('Output of hdiutil'),
      example: 'macpackage.unmount /dev/disk2',
      run: (ctx, { mountpoint }) => outputOf(ctx, ['hdiutil', 'detach', mountpoint]),
    }),
    installed_pkgs: reads({
      doc: 'List the installed packages.',
      returns: ret.texts('Package identifiers'),
      run: async (ctx) => (await outputOf(ctx, ['pkgutil', '--pkgs'])).split('\n'),
    }),
    get_pkg_id: reads({
      doc: 'List the package identifiers in a package file.',
      args: { pkg },
      returns: ret.texts('Package identifiers'),
      example: 'macpackage.get_pkg_id /tmp/test.pkg',
      run: (ctx, { pkg }) => packageIds(ctx, pkg),
    }),
    get_mpkg_ids: reads({
      doc: 'List the package identifiers in the package files beside a metapackage.',
      args: { mpkg: arg.text('Path of the metapackage') },
      returns: ret.texts('Package identifiers'),
      example: 'macpackage.get_mpkg_ids /dev/disk2',
      run: async (ctx, { mpkg }) => {
        const ids: string[] = []
        for (const one of await packagesBelow(ctx, mpkg.slice(0, mpkg.lastIndexOf('/'))))
          ids.push(...(await packageIds(ctx, one)))
        return ids
      },
    }),
  },
})
