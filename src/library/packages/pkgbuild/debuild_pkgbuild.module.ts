// Debian packages, built by debuild and pbuilder, and repositories of them by reprepro.
import { type Dict, dictFrom, misuse, shlexQuote, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Bound,
  baseName,
  changes,
  defineModule,
  expandUser,
  type FunctionContext,
  isFile,
  namesIn,
  oneLine,
  operand,
  retcodeOf,
  runAll,
  succeeds,
  textAt,
} from '../../../sdk/mod.ts'
import {
  BUILD,
  BUILT,
  bring,
  DEBIAN_SOURCE,
  FILES,
  giveTo,
  OUTCOME,
  REPO,
  type SigningKey,
  signingKey,
  sourceList,
  variables,
} from './common.ts'

const PROGRAMS = ['gpg', 'debuild', 'pbuilder', 'reprepro']
const RESULTS = '/var/cache/pbuilder/result'

/** Add the variables of a build to the configuration of pbuilder, which is a shell script. */
async function configurePbuilder(ctx: FunctionContext, env: Dict, runas: string): Promise<void> {
  const path = `${await expandUser(ctx, `~${runas}`)}/.pbuilderrc`
  if (!(await isFile(ctx, path))) throw misuse('pbuilderrc environment is incorrectly setup')
  const lines = [...env].map(([name, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(str(name))) throw misuse(`'${str(name)}' is not the name of a variable`)
    return `${str(name)}=${shlexQuote(str(value))}\nexport ${str(name)}\n`
  })
  if (lines.length > 0) await ctx.host.append(path, lines.join(''))
  await giveTo(ctx, runas, path)
}

/** Copy the files of a directory into another one; return their paths there. */
async function copyAll(ctx: FunctionContext, from: string, to: string): Promise<string[]> {
  const names = (await namesIn(ctx.host, from)).filter((name) => !name.endsWith('.build'))
  for (const name of names) await ctx.host.copy(`${from}/${name}`, `${to}/${name}`)
  return names.map((name) => `${to}/${name}`)
}

/** Unpack the sources, add the definition, and create the files of the source package. */
async function makeSource(
  ctx: FunctionContext,
  tree: string,
  tarball: string,
  spec: string,
  env: Dict,
): Promise<number> {
  const name = tarball.slice(0, -'.tar.gz'.length)
  const cut = name.lastIndexOf('-')
  const folder = `${name.slice(0, cut)}_${name.slice(cut + 1)}+ds`
  const inside = `${tree}/${folder}`
  const steps: Array<[string, string[]]> = [
    [tree, ['tar', '-xvzf', tarball]],
    [tree, ['mv', name, folder]],
    [tree, ['tar', '-cvzf', `${tree}/${folder}.orig.tar.gz`, folder]],
    [tree, ['rm', '-f', tarball]],
    [inside, ['tar', '-xvJf', spec]],
    [inside, ['debuild', '-S', '-uc', '-us', '-sa']],
    [tree, ['rm', '-fR', inside]],
  ]
  let code = 0
  for (const [cwd, words] of steps) code |= await retcodeOf(ctx, words, { cwd, runas: 'root', env })
  return code
}

async function sourcePackage(ctx: FunctionContext, given: Bound<typeof DEBIAN_SOURCE>): Promise<string[]> {
  const { dest_dir, spec, saltenv, runas } = given
  const env = variables(given.env)
  const sources = sourceList(given.sources)
  await configurePbuilder(ctx, env, operand('A user', runas))
  await ctx.host.makeDirectory(dest_dir, { parents: true })
  const tree = await ctx.host.tempDirectory()
  try {
    await giveTo(ctx, runas, tree)
    await giveTo(ctx, runas, dest_dir)
    const definition = await bring(ctx, spec, tree, saltenv)
    for (const source of sources) await bring(ctx, source, tree, saltenv)
    if (definition.endsWith('.dsc')) return await copyAll(ctx, tree, dest_dir)
    const tarball = (await namesIn(ctx.host, tree)).find((name) => /^salt-.*\.tar\.gz$/.test(name))
    if (tarball === undefined) return []
    const code = await makeSource(ctx, tree, tarball, definition, env)
    if (code !== 0) {
      const what = `destination directory ${dest_dir}, spec ${spec}, sources ${sources.join(',')}`
      throw misuse(`Make source package for ${what}, failed with return error ${code}`)
    }
    return await copyAll(ctx, tree, dest_dir)
  } finally {
    await ctx.host.removeDirectory(tree, { recursive: true })
  }
}

/** Copy the building user's configuration of pbuilder to root. */
async function copySettings(ctx: FunctionContext, runas: string): Promise<void> {
  const [from, to] = [await expandUser(ctx, `~${runas}`), await expandUser(ctx, '~root')]
  await retcodeOf(ctx, ['cp', `${from}/.pbuilderrc`, `${to}/`], { runas: 'root' })
  const code = await retcodeOf(ctx, ['cp', '-R', `${from}/.pbuilder-hooks`, `${to}/`], { runas: 'root' })
  if (code !== 0) throw misuse(`build copy pbuilder files from '${from}' to '${to}' returned error '${code}'`)
}

/** Build a source package; return whether both commands succeeded. */
async function buildOne(ctx: FunctionContext, dsc: string, env: Dict): Promise<boolean> {
  const options = { runas: 'root', env }
  return (
    (await succeeds(ctx, ['/usr/sbin/pbuilder', 'update', '--override-config'], options)) &&
    (await succeeds(ctx, ['/usr/sbin/pbuilder', 'build', '--debbuildopts', '-sa', dsc], options))
  )
}

async function build(ctx: FunctionContext, given: Bound<typeof BUILD>): Promise<Dict> {
  const { runas, dest_dir } = given
  const env = variables(given.env)
  const built: string[] = []
  await ctx.host.makeDirectory(dest_dir, { parents: true })
  const folder = await ctx.host.tempDirectory()
  try {
    let sources: string[]
    try {
      sources = await sourcePackage(ctx, { ...given, dest_dir: folder })
    } catch (error) {
      ctx.log('error', `Failed to make src package: ${error instanceof Error ? error.message : String(error)}`)
      return new Map()
    }
    if (runas !== 'root') await copySettings(ctx, runas)
    const code = await retcodeOf(ctx, ['/usr/sbin/pbuilder', '--create'], { runas: 'root', env })
    if (code !== 0) throw misuse(`pbuilder create failed with return error '${code}'`)
    await retcodeOf(ctx, ['rm', '-fR', RESULTS], { runas: 'root' })
    for (const dsc of sources.filter((path) => path.endsWith('.dsc'))) {
      await giveTo(ctx, runas, folder)
      if (await buildOne(ctx, dsc, env)) built.push(...(await copyAll(ctx, RESULTS, dest_dir)))
      else ctx.log('error', `pbuilder could not build ${baseName(dsc)}`)
    }
    const packages = built.filter((path) => baseName(path) !== 'Packages')
    if (await isFile(ctx, `${dest_dir}/Packages`)) await ctx.host.remove(`${dest_dir}/Packages`)
    await giveTo(ctx, runas, dest_dir)
    return new Map(packages.length > 0 ? [['Packages', packages]] : [])
  } finally {
    await ctx.host.removeDirectory(folder, { recursive: true })
  }
}

/** Fields of a reprepro distribution by variable: the name, and the required value, if any. */
const FIELDS: Readonly<Record<string, readonly [name: string, needed?: string]>> = {
  ORIGIN: ['Origin'],
  LABEL: ['Label'],
  SUITE: ['Suite'],
  VERSION: ['Version'],
  CODENAME: ['Codename', 'stretch'],
  ARCHS: ['Architectures', 'i386 amd64 source'],
  COMPONENTS: ['Components', 'main'],
  DESCRIPTION: ['Description'],
}

/** Return the fields of the distribution that a repository has. */
function distribution(env: Value): Map<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of variables(env)) {
    if (name === 'OPTIONS' || name === 'GNUPGHOME') continue
    fields.set(FIELDS[str(name)]?.[0] ?? oneLine('A field', str(name)), oneLine('A field', str(value)))
  }
  for (const [name, needed] of Object.values(FIELDS)) {
    if (needed !== undefined && !fields.has(name)) fields.set(name, needed)
  }
  return fields
}

/** Take the first variable of the file that describes the agent or its terminal. */
async function agentVariables(ctx: FunctionContext, gnupghome: string, env: Dict): Promise<void> {
  for (const name of ['gpg-agent-info-salt', 'gpg-tty-info-salt']) {
    const [line = ''] = ((await textAt(ctx.host, `${gnupghome}/${name}`)) ?? '').split('\n')
    const [variable, value] = line.split('=')
    if (!variable || value === undefined) continue
    env.set(variable, value.trim())
    return
  }
}

/** Sign a source package and put it into the repository. */
async function includeSource(
  ctx: FunctionContext,
  path: string,
  codename: string,
  key: SigningKey | undefined,
  options: Record<string, Value>,
): Promise<number> {
  const signed = key ? await retcodeOf(ctx, ['debsign', '--re-sign', '-k', key.fingerprint, path], options) : 0
  return signed | (await retcodeOf(ctx, reprepro('includedsc', codename, path), options))
}

const reprepro = (verb: string, codename: string, path: string): string[] => [
  'reprepro',
  '--ignore=wrongdistribution',
  '--component=main',
  '-Vb',
  '.',
  verb,
  codename,
  path,
]

async function makeRepo(ctx: FunctionContext, given: Bound<typeof REPO>): Promise<Dict> {
  const { runas, gnupghome } = given
  const repodir = operand('A directory', given.repodir)
  const fields = distribution(given.env)
  const codename = operand('A codename', fields.get('Codename')!)
  const env = given.env === null && gnupghome !== '' ? new Map([['GNUPGHOME', gnupghome]]) : variables(given.env)
  if (given.keyid !== null) fields.set('SignWith', oneLine('A key', given.keyid))
  await ctx.host.makeDirectory(`${repodir}/conf`, { parents: true })
  await ctx.host.write(
    `${repodir}/conf/distributions`,
    [...fields].map(([name, value]) => `${name}: ${value}\n`).join(''),
  )
  const wishes = variables(given.env).get('OPTIONS') ?? ''
  await ctx.host.write(`${repodir}/conf/options`, truthy(wishes) ? `${str(wishes)}\n` : '')
  await giveTo(ctx, runas, `${repodir}/conf`)
  if (given.keyid !== null) await agentVariables(ctx, gnupghome, env)
  const key = await signingKey(ctx, given, env)
  if (key && (await ctx.host.which('debsign')) === undefined) {
    throw misuse("utility 'debsign' needs to be installed or made available in search path")
  }
  let outcome: Dict = dictFrom({ retcode: 1, stdout: '', stderr: 'initialization value' })
  const options = { runas, cwd: repodir, env }
  for (const name of await namesIn(ctx.host, repodir)) {
    const path = `${repodir}/${name}`
    if (name.endsWith('.changes')) await ctx.host.remove(path)
    const code = name.endsWith('.dsc') ? await includeSource(ctx, path, codename, key, options) : 0
    if (code !== 0) throw misuse(`Making a repo encountered errors, return error ${code}`)
    if (!name.endsWith('.deb')) continue
    outcome = dictFrom(await runAll(ctx, reprepro('includedeb', codename, path), options))
  }
  return outcome
}

export default defineModule({
  name: 'debuild_pkgbuild',
  virtual: 'pkgbuild',
  doc: 'Build packages of Debian and make repositories of them.',
  when: async ({ grains, host }) => {
    if (!['Debian', 'Kali'].includes(str(grains.get('os_family') ?? ''))) {
      return 'The debbuild module could not be loaded: unsupported OS family'
    }
    for (const program of PROGRAMS) {
      if ((await host.which(program)) === undefined) return `The debbuild module needs the program ${program}`
    }
    return true
  },
  functions: {
    make_src_pkg: changes({
      doc: 'Make a source package. Sources are a `.dsc` file with its parts, or a tarball `salt-*.tar.gz` with a tarball of its `debian` folder.',
      args: DEBIAN_SOURCE,
      returns: FILES,
      example: 'pkgbuild.make_src_pkg /var/www/html salt://pkg/app_1.0-1.dsc salt://pkg/app_1.0.orig.tar.gz',
      run: sourcePackage,
    }),
    build: changes({
      doc: 'Build a package with pbuilder.',
      args: BUILD,
      returns: BUILT,
      example:
        'pkgbuild.build builder deb-12-x86_64 /var/www/html salt://pkg/app_1.0-1.dsc salt://pkg/app_1.0.orig.tar.gz',
      run: build,
    }),
    make_repo: changes({
      doc: 'Make a repository of the packages in a directory; sign it if a key is given. The passphrase goes to the agent by standard input.',
      args: REPO,
      returns: OUTCOME,
      example: 'pkgbuild.make_repo /var/www/html',
      run: makeRepo,
    }),
  },
})
