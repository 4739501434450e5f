// rpm packages, built by rpmbuild and mock, and repositories of them by createrepo.
import { type Dict, dictFrom, isList, misuse, numberOf, str, type Value } from '../../../data/mod.ts'
import {
  type Bound,
  changes,
  expandUser,
  type FunctionContext,
  type FunctionDeclaration,
  type Host,
  isDirectory,
  isFile,
  namesIn,
  operand,
  outputOf,
  retcodeOf,
  runAll,
} from '../../../sdk/mod.ts'
import {
  BUILD,
  BUILT,
  bring,
  FILES,
  OUTCOME,
  REPO,
  RPM_SOURCE,
  type SigningKey,
  signingKey,
  sourceList,
  variables,
} from './common.ts'

const PROGRAMS = ['gpg', 'rpm', 'rpmbuild', 'mock', 'createrepo']

/** Return the missing program for building rpm packages; undefined if there is none. */
export async function missingProgram(host: Pick<Host, 'which'>): Promise<string | undefined> {
  for (const program of PROGRAMS) {
    if ((await host.which(program)) === undefined) return `The rpmbuild module needs the program ${program}`
  }
  return undefined
}

export const isRpmSystem = (grains: Dict): boolean => ['RedHat', 'Suse'].includes(str(grains.get('os_family') ?? ''))

/** Change the owner of a path to the building user and the group of mock. */
async function giveToMock(ctx: FunctionContext, path: string, user: string): Promise<void> {
  await ctx.call('file.chown', [], { path, user, group: 'mock' })
}

async function makeFolder(ctx: FunctionContext, name: string, user: string): Promise<void> {
  await ctx.call('file.makedirs_perms', [], { name, user, group: 'mock' })
}

/** Write the macros of the building user. */
async function writeMacros(ctx: FunctionContext, runas: string): Promise<void> {
  const home = await expandUser(ctx, `~${runas}`)
  for (const name of ['rpmbuild', 'mock']) {
    if (!(await isDirectory(ctx, `${home}/${name}`))) await makeFolder(ctx, `${home}/${name}`, runas)
  }
  const lines = [
    `%_topdir ${home}/rpmbuild`,
    '%signature gpg',
    '%_source_filedigest_algorithm 8',
    '%_binary_filedigest_algorithm 8',
    '%_gpg_name packaging@saltstack.com',
  ]
  await ctx.host.write(`${home}/.rpmmacros`, `${lines.join('\n')}\n`)
}

async function sourcePackage(ctx: FunctionContext, given: Bound<typeof RPM_SOURCE>): Promise<string[]> {
  const { dest_dir, spec, saltenv } = given
  const runas = operand('A user', given.runas)
  const sources = sourceList(given.sources)
  await writeMacros(ctx, runas)
  const tree = await ctx.host.tempDirectory()
  try {
    for (const name of ['BUILD', 'RPMS', 'SOURCES', 'SPECS', 'SRPMS']) await makeFolder(ctx, `${tree}/${name}`, runas)
    const path = await bring(ctx, spec, `${tree}/SPECS`, saltenv)
    await giveToMock(ctx, path, runas)
    await giveToMock(ctx, tree, runas)
    for (const source of sources) await giveToMock(ctx, await bring(ctx, source, `${tree}/SOURCES`, saltenv), runas)
    const words = ['rpmbuild', '--verbose', '--define', `_topdir ${tree}`, '-bs', '--define', 'dist .el6', path]
    const code = await retcodeOf(ctx, words, { runas })
    if (code !== 0) throw buildError('Make source package', given, sources, code)
    if (!(await isDirectory(ctx, dest_dir))) await makeFolder(ctx, dest_dir, runas)
    const names = await namesIn(ctx.host, `${tree}/SRPMS`)
    for (const name of names) await ctx.host.copy(`${tree}/SRPMS/${name}`, `${dest_dir}/${name}`)
    return names.map((name) => `${dest_dir}/${name}`)
  } finally {
    await ctx.host.removeDirectory(tree, { recursive: true })
  }
}

function buildError(what: string, given: { dest_dir: string; spec: string }, sources: readonly string[], code: number) {
  const { dest_dir, spec } = given
  return misuse(
    `${what} for destination directory ${dest_dir}, spec ${spec}, sources ${sources.join(',')}, failed with return error ${code}`,
  )
}

/** Return the definition of the distribution that a target is. */
function distribution(tgt: string): string[] {
  const [name, release = ''] = tgt.split('-')
  if (name === 'amzn2') return ['--define', 'dist .amzn2']
  return ['6', '7', '8'].includes(release) ? ['--define', `dist .el${release}`] : []
}

interface Build {
  readonly given: Bound<typeof BUILD>
  readonly deps: readonly string[]
  readonly built: Dict
}

/** Build a source package and sort the results; return the combined codes of the commands. */
async function buildOne(ctx: FunctionContext, srpm: string, isFirst: boolean, { given, deps, built }: Build) {
  const { runas, tgt, dest_dir, log_dir } = given
  const results = await ctx.host.tempDirectory()
  try {
    await giveToMock(ctx, results, runas)
    const mock = ['mock', `--root=${tgt}`, `--resultdir=${results}`]
    const noClean = deps.length > 0 ? ['--no-clean'] : []
    let code = await retcodeOf(ctx, [...mock, '--init'], { runas })
    if (deps.length > 0) {
      code |= await retcodeOf(ctx, [...mock, '--install', ...deps, ...(isFirst ? [] : noClean)], { runas })
    }
    code |= await retcodeOf(ctx, [...mock, ...distribution(tgt), ...noClean, srpm], { runas })
    const format = `${log_dir}/%{name}/%{version}-%{release}`
    const logs = (await outputOf(ctx, ['rpm', '-qp', '--queryformat', format, srpm])).trim()
    for (const name of await namesIn(ctx.host, results)) {
      const [kind, folder] = name.endsWith('src.rpm')
        ? ['Source Packages', `${dest_dir}/SRPMS`]
        : name.endsWith('.rpm')
          ? ['Packages', dest_dir]
          : ['Log Files', logs]
      if (!(await isDirectory(ctx, folder))) await makeFolder(ctx, folder, runas)
      await ctx.host.copy(`${results}/${name}`, `${folder}/${name}`)
      built.set(kind, [...((built.get(kind) as Value[] | undefined) ?? []), `${folder}/${name}`])
    }
    return code
  } finally {
    await ctx.host.removeDirectory(results, { recursive: true })
  }
}

async function build(ctx: FunctionContext, given: Bound<typeof BUILD>): Promise<Dict> {
  const { dest_dir, deps, saltenv } = given
  const runas = operand('A user', given.runas)
  if (deps !== null && !isList(deps)) throw misuse("'deps' must be a Python list or comma-separated string")
  await giveToMock(ctx, dest_dir, runas)
  const folder = await ctx.host.tempDirectory()
  try {
    let sources: string[]
    try {
      sources = await sourcePackage(ctx, { ...given, dest_dir: folder })
    } catch (error) {
      ctx.log('error', `Failed to make src package: ${error instanceof Error ? error.message : String(error)}`)
      return new Map()
    }
    await ctx.host.makeDirectory(`${folder}/deps`)
    const needed: string[] = []
    for (const dep of deps ?? []) needed.push(await bring(ctx, str(dep), `${folder}/deps`, saltenv))
    await giveToMock(ctx, folder, runas)
    const built: Dict = new Map()
    let code = 0
    for (const [at, srpm] of sources.entries()) {
      code |= await buildOne(ctx, srpm, at === 0, { given, deps: needed, built })
    }
    if (code !== 0) throw buildError('Building packages', given, sourceList(given.sources), code)
    return built
  } finally {
    await ctx.host.removeDirectory(folder, { recursive: true })
  }
}

/** Sign a package: by its key id where rpm uses the agent, else by the name in the key. */
function signCommand(ctx: FunctionContext, key: SigningKey, path: string): string[] {
  const release = numberOf(ctx.grains.get('osmajorrelease') ?? 0) ?? 0
  if (ctx.grains.get('os_family') === 'RedHat' && release >= 8) {
    return ['rpmsign', '--verbose', `--key-id=${key.id}`, '--addsign', path]
  }
  const name = key.uid === undefined ? [] : ['--define=%_signature gpg', `--define=%_gpg_name ${key.uid}`]
  return ['rpm', ...name, '--addsign', path]
}

async function makeRepo(ctx: FunctionContext, given: Bound<typeof REPO>): Promise<Dict> {
  const { gnupghome } = given
  const [repodir, runas] = [operand('A directory', given.repodir), operand('A user', given.runas)]
  if (!(await isFile(ctx, `${await expandUser(ctx, `~${runas}`)}/.rpmmacros`))) await writeMacros(ctx, runas)
  const env = given.env === null && gnupghome !== '' ? new Map([['GNUPGHOME', gnupghome]]) : variables(given.env)
  const key = await signingKey(ctx, given, env)
  if (key) {
    const code = await retcodeOf(ctx, ['rpm', '--import', key.publicFile], { runas })
    if (code !== 0) throw misuse(`Failed to import public key from file ${key.publicFile} with return error ${code}`)
  }
  for (const name of key ? await namesIn(ctx.host, repodir) : []) {
    if (!name.endsWith('.rpm')) continue
    const words = signCommand(ctx, key!, `${repodir}/${name}`)
    const code = await retcodeOf(ctx, words, { runas, cwd: repodir, env })
    if (code !== 0) throw misuse(`Signing encountered errors for command '${words.join(' ')}', return error ${code}`)
  }
  return dictFrom(await runAll(ctx, ['createrepo', '--update', repodir], { runas }))
}

/** Return the functions of a module that builds packages of rpm. */
export const rpmFunctions = (name: string): Readonly<Record<string, FunctionDeclaration>> => ({
  make_src_pkg: changes({
    doc: 'Make a source package of rpm.',
    args: RPM_SOURCE,
    returns: FILES,
    example: `${name}.make_src_pkg /var/www/html salt://pkg/app.spec salt://pkg/app-1.0.tar.gz`,
    run: sourcePackage,
  }),
  build: changes({
    doc: 'Build packages of rpm with mock.',
    args: BUILD,
    returns: BUILT,
    example: `${name}.build mock epel-9-x86_64 /var/www/html salt://pkg/app.spec salt://pkg/app-1.0.tar.gz`,
    run: build,
  }),
  make_repo: changes({
    doc: 'Make a repository of the packages in a directory; sign them if a key is given. The passphrase goes to the agent by standard input.',
    args: REPO,
    returns: OUTCOME,
    example: `${name}.make_repo /var/www/html`,
    run: makeRepo,
  }),
})
