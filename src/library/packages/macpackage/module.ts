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

/** A pattern such as `/Volumes/x/*.pkg` is left to a shell, as installer does not know patterns. */
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

const pkg = arg.text('The package file')

export default defineModule({
  name: 'macpackage',
  doc: 'Install packages and applications of macOS.',
  when: ({ grains }) => grains.get('kernel') === 'Darwin' || 'Only available on Mac OS systems with pipes',
  functions: {
    install: changes({
      doc: 'Install a package file.',
      args: {
        pkg,
        target: arg.text('Where it is installed', { default: 'LocalSystem' }),
        store: arg.flag('Whether it comes from the App Store', { default: false }),
        allow_untrusted: arg.flag('Whether its signature may be unknown', { default: false }),
      },
      returns: ret.dict('As cmd.run_all gives it'),
      example: 'macpackage.install test.pkg',
      run: async (ctx, { pkg: one, target, store, allow_untrusted }) => {
        const path = one
        const options = [...(store ? ['-store'] : []), ...(allow_untrusted ? ['-allowUntrusted'] : [])]
        const line = ['installer', '-pkg', isPattern(path) ? path : quoted(path), '-target', quoted(target), ...options]
        return { ...(await runAll(ctx, line.join(' '), { python_shell: isPattern(path) })) }
      },
    }),
    install_app: changes({
      doc: 'Copy an application into place.',
      args: { app: arg.text('The application'), target: arg.text('Where it goes', { default: '/Applications/' }) },
      returns: ret.string('What rsync says'),
      example: 'macpackage.install_app /tmp/tmp.app /Applications/',
      run: (ctx, { app, target }) => {
        const source = app.replace(/\/$/, '')
        const place = target
        const whole = place.endsWith('.app') ? place : `${place.replace(/\/$/, '')}/${baseOf(source)}`
        return outputOf(ctx, ['rsync', '-a', '--delete', `${source}/`, whole])
      },
    }),
    uninstall_app: changes({
      doc: 'Remove an application.',
      args: { app: arg.any('The application') },
      returns: ret.boolean('Whether it is gone'),
      example: 'macpackage.uninstall_app /Applications/app.app',
      run: (ctx, { app }) => ctx.call('file.remove', [app]),
    }),
    mount: changes({
      doc: 'Mount a disk image at a new directory.',
      args: { dmg: arg.text('The image') },
      returns: ret.texts('What hdiutil says, and the directory'),
      example: 'macpackage.mount /tmp/software.dmg',
      run: async (ctx, { dmg }) => {
        const folder = await ctx.host.tempDirectory({ prefix: 'dmg-' })
        const words = ['hdiutil', 'attach', '-readonly', '-nobrowse', '-mountpoint', folder, dmg]
        return [await outputOf(ctx, words), folder]
      },
    }),
    unmount: changes({
      doc: 'Unmount a disk image.',
      args: { mountpoint: arg.text('Where it is mounted') },
      returns: ret.string('What hdiutil says'),
      example: 'macpackage.unmount /dev/disk2',
      run: (ctx, { mountpoint }) => outputOf(ctx, ['hdiutil', 'detach', mountpoint]),
    }),
    installed_pkgs: reads({
      doc: 'Installed packages.',
      args: {},
      returns: ret.texts('Their identifiers'),
      example: 'macpackage.installed_pkgs',
      run: async (ctx) => (await outputOf(ctx, ['pkgutil', '--pkgs'])).split('\n'),
    }),
    get_pkg_id: reads({
      doc: 'The identifiers in a package file.',
      args: { pkg },
      returns: ret.texts('The identifiers'),
      example: 'macpackage.get_pkg_id /tmp/test.pkg',
      run: (ctx, { pkg: one }) => packageIds(ctx, one),
    }),
    get_mpkg_ids: reads({
      doc: 'The identifiers in the package files beside a package of packages.',
      args: { mpkg: arg.text('The package of packages') },
      returns: ret.texts('The identifiers'),
      example: 'macpackage.get_mpkg_ids /dev/disk2',
      run: async (ctx, { mpkg }) => {
        const ids: string[] = []
        const path = mpkg
        for (const one of await packagesBelow(ctx, path.slice(0, path.lastIndexOf('/'))))
          ids.push(...(await packageIds(ctx, one)))
        return ids
      },
    }),
  },
})
