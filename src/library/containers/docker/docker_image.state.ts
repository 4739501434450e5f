// Images of Docker: pulled, built or loaded.
import { isDict, isList, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { answered, ifPresent, report, whenDocker } from './state/report.ts'

const idOf = (facts: Value): string => (isDict(facts) ? str(facts.get('Id') ?? '') : '')
const shortId = (facts: Value): string =>
  idOf(facts)
    .replace(/^sha256:/, '')
    .slice(0, 12)

const args = {
  name: arg.text('Name of the image'),
  tag: arg.text('Tag of the image', { optional: true }),
  build: arg.text('Directory to build the image from', { optional: true }),
  load: arg.text('File to load the image from', { optional: true }),
  force: arg.flag('Whether an existing image is pulled, built or loaded again', { default: false }),
  insecure_registry: arg.flag('Ignored: the daemon decides', { default: false }),
  client_timeout: arg.any('Ignored', { default: 60 }),
  dockerfile: arg.text('Dockerfile of the build', { optional: true }),
  sls: arg.any('SLS files to build the image with, as a list or separated by commas', { optional: true }),
  base: arg.text('Image to apply the SLS files to', { default: 'opensuse/python' }),
  saltenv: arg.text('Environment of the SLS files', { default: 'base' }),
  pillarenv: arg.text('Environment of the pillar for the SLS files', { optional: true }),
  pillar: arg.any('Dict of pillar for the SLS files, over that of the minion', { optional: true }),
  kwargs: arg.open('kwargs: further arguments of docker.build'),
}

type Image = Bound<typeof args>

interface Target {
  name: string
  full: string
  action: 'built' | 'loaded' | 'pulled'
}

/** Return the image and how to get it; a text if the arguments are wrong. */
function targetOf(given: Image): Target | string {
  const { name, tag } = given
  const ways = (['build', 'load', 'sls'] as const).filter((key) => given[key] !== null)
  if (ways.length > 1) return "Only one of 'build', 'load', or 'sls' is permitted."
  if (ways.length === 1 && !tag) {
    return "The 'tag' argument is required if any one of 'build', 'load', or 'sls' is used."
  }
  const full = tag ? `${name}:${tag}` : name
  return {
    name: ways.length === 1 ? name : full,
    full,
    action: ways[0] === 'build' || ways[0] === 'sls' ? 'built' : ways[0] === 'load' ? 'loaded' : 'pulled',
  }
}

function bring(ctx: StateContext, given: Image, { name, action }: Target): Value | Promise<Value> {
  const { tag, build, load, dockerfile, kwargs, sls, base, saltenv, pillarenv, pillar } = given
  if (sls !== null) {
    const run = { saltenv, ...(pillarenv !== null && { pillarenv }), ...(pillar !== null && { pillar }) }
    return ctx.call('docker.sls_build', [], { repository: name, tag, base, mods: sls, ...run })
  }
  if (action === 'built') {
    const further = kwargs.get('kwargs') ?? null
    const keywords = isDict(further) ? new Map([...further].map(([key, value]) => [str(key), value])) : []
    const own = { path: build, repository: name, tag, dockerfile }
    return ctx.call('docker.build', [], { ...Object.fromEntries(keywords), ...own })
  }
  if (action === 'loaded') return ctx.call('docker.load', [], { path: load, repository: name, tag })
  return ctx.call('docker.pull', [name])
}

/** Return whether the image changed. */
function differs(before: Value, update: Value, action: Target['action']): boolean {
  if (before === null) return true
  const layers = isDict(update) ? (update.get('Layers') ?? null) : null
  if (action === 'built') return isDict(update) && str(update.get('Id') ?? '').slice(0, 12) !== shortId(before)
  return action === 'loaded' ? truthy(layers) : isDict(layers) && truthy(layers.get('Pulled') ?? null)
}

const FAILED: Readonly<Record<Target['action'], (given: Image, target: Target) => string>> = {
  built: ({ build, sls }, { full }) =>
    sls === null
      ? `Encountered error building ${build} as ${full}`
      : `Encountered error using SLS ${str(sls)} for building ${full}`,
  loaded: (given, { full }) => `Encountered error loading ${given.load} as ${full}`,
  pulled: (_given, { full }) => `Encountered error pulling ${full}`,
}

async function present(ctx: StateContext, given: Image): Promise<StateReturn> {
  const shown = given.name
  const target = targetOf(given)
  if (typeof target === 'string') return report(shown, false, target)
  const { name, full, action } = target
  const before = await ifPresent(() => ctx.call('docker.inspect_image', [full]))
  if ('refusal' in before) return report(shown, false, before.refusal)
  if (before.value !== null && !given.force) return report(shown, true, `Image ${full} already present`)
  if (ctx.test) return report(shown, null, `Image ${full} will be ${action}`)
  const update = await answered(() => bring(ctx, given, target))
  if ('refusal' in update) return report(shown, false, `${FAILED[action](given, target)}: ${update.refusal}`)
  const changes = differs(before.value, update.value, action) ? update.value : new Map()
  const after = await ifPresent(() => ctx.call('docker.inspect_image', [full]))
  if ('refusal' in after) {
    return report(shown, false, `Failed to inspect image '${full}' after it was ${action}: ${after.refusal}`, changes)
  }
  if (!truthy(changes)) return report(shown, true, `Image '${name}' was ${action}, but there were no changes`)
  return report(shown, true, `Image '${full}' was ${action}`, changes)
}

async function absent(ctx: StateContext, name: string | null, images: Value, force: boolean): Promise<StateReturn> {
  if (!name && !truthy(images)) return report(name, false, "One of 'name' and 'images' must be provided")
  const targets = Array.isArray(images) ? images : [name]
  const there: string[] = []
  for (const target of targets) {
    const tag = await ctx.call('docker.resolve_tag', [target])
    if (tag !== false) there.push(str(tag))
  }
  if (there.length === 0) {
    const comment = targets.length === 1 ? `Image ${str(name)} is not present` : 'All specified images are not present'
    return report(name, true, comment)
  }
  const [only, several] = [there.length === 1, there.join(', ')]
  if (ctx.test) {
    return report(
      name,
      null,
      only ? `Image ${several} will be removed` : `The following images will be removed: ${several}`,
    )
  }
  const result = await ctx.call('docker.rmi', there, { force })
  const left = await ctx.call('docker.list_tags')
  const failed = there.filter((tag) => left.includes(tag))
  if (failed.length === 0) {
    const comment = only ? `Image ${several} was removed` : `The following images were removed: ${several}`
    return report(name, true, comment, result)
  }
  if (failed.length < there.length) {
    return report(name, false, `The following image(s) failed to be removed: ${failed.join(', ')}`, result)
  }
  const errors = result.get('Errors') ?? []
  const listed = isList(errors) ? errors.map(str).join('; ') : ''
  const why = listed === '' ? '' : `. The following errors were encountered: ${listed}`
  return report(name, false, `None of the specified images were removed${why}`)
}

export default defineState({
  name: 'docker_image',
  doc: 'Manage images of Docker.',
  when: whenDocker,
  functions: {
    present: state({
      doc: 'Ensure that an image exists.',
      args,
      run: present,
    }),
    absent: state({
      doc: 'Ensure that images do not exist.',
      args: {
        name: arg.text('Name or ID of the image', { optional: true }),
        images: arg.any('List of images instead of the name', { optional: true }),
        force: arg.flag('Whether images in use are removed', { default: false }),
      },
      run: (ctx, { name, images, force }) => absent(ctx, name, images, force),
    }),
    mod_watch: state({
      doc: 'Pull, build or load an image again after a change of a watched state.',
      args: { ...args, sfun: arg.text('Function of the watching state', { optional: true }) },
      run: (ctx, { sfun, ...given }) => {
        if (sfun === 'present') return present(ctx, { ...given, force: true })
        return report(given.name, false, `watch requisite is not implemented for ${str(sfun)}`)
      },
    }),
  },
})
