// Images of Docker: pulled, built or loaded.
import { isDict, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'
import { answered, type Given, ifPresent, report, whenDocker } from './state/report.ts'

const given1 = (given: Given, key: string): Value => given[key] ?? null

const shortId = (facts: Value): string =>
  isDict(facts)
    ? str(facts.get('Id') ?? '')
        .replace(/^sha256:/, '')
        .slice(0, 12)
    : ''

interface Wish {
  name: string
  full: string
  action: 'built' | 'loaded' | 'pulled'
}

/** The image that is meant, or what is wrong with the arguments. */
function wishOf(given: Given): Wish | string {
  const name = str(given['name']!)
  const tag = given1(given, 'tag')
  const ways = ['build', 'load', 'sls'].filter((key) => given1(given, key) !== null)
  if (ways.length > 1) return "Only one of 'build', 'load', or 'sls' is permitted."
  if (ways.length === 1 && !truthy(tag)) {
    return "The 'tag' argument is required if any one of 'build', 'load', or 'sls' is used."
  }
  if (ways[0] === 'sls') return "The 'sls' argument is not supported: use 'build' or 'load'"
  const full = truthy(tag) ? `${name}:${str(tag)}` : name
  return {
    name: ways.length === 1 ? name : full,
    full,
    action: ways[0] === 'build' ? 'built' : ways[0] === 'load' ? 'loaded' : 'pulled',
  }
}

function bring(ctx: StateContext, given: Given, { name, action }: Wish): Value | Promise<Value> {
  const tag = given1(given, 'tag')
  if (action === 'built') {
    const further = isDict(given1(given, 'kwargs'))
      ? Object.fromEntries(given1(given, 'kwargs') as Map<string, Value>)
      : {}
    const keywords = { path: given['build']!, repository: name, tag, dockerfile: given1(given, 'dockerfile') }
    return ctx.call('docker.build', [], { ...further, ...keywords })
  }
  if (action === 'loaded') return ctx.call('docker.load', [], { path: given['load']!, repository: name, tag })
  return ctx.call('docker.pull', [name])
}

/** Whether something came that was not there. */
function differs(before: Value, update: Value, action: Wish['action']): boolean {
  if (before === null) return true
  const layers = isDict(update) ? (update.get('Layers') ?? null) : null
  if (action === 'built') return isDict(update) && update.get('Id') !== shortId(before)
  return action === 'loaded' ? truthy(layers) : isDict(layers) && truthy(layers.get('Pulled') ?? null)
}

const FAILED: Readonly<Record<Wish['action'], (given: Given, wish: Wish) => string>> = {
  built: (given, { full }) => `Encountered error building ${str(given['build']!)} as ${full}`,
  loaded: (given, { full }) => `Encountered error loading ${str(given['load']!)} as ${full}`,
  pulled: (_given, { full }) => `Encountered error pulling ${full}`,
}

async function present(ctx: StateContext, given: Given): Promise<StateReturn> {
  const shown = given['name']!
  const wish = wishOf(given)
  if (typeof wish === 'string') return report(shown, false, wish)
  const { name, full, action } = wish
  const before = await ifPresent(() => ctx.call('docker.inspect_image', [full]))
  if ('refusal' in before) return report(shown, false, before.refusal)
  if (before.value !== null && !truthy(given['force']!)) return report(shown, true, `Image ${full} already present`)
  if (ctx.test) return report(shown, null, `Image ${full} will be ${action}`)
  const update = await answered(() => bring(ctx, given, wish))
  if ('refusal' in update) return report(shown, false, `${FAILED[action](given, wish)}: ${update.refusal}`)
  const changes = differs(before.value, update.value, action) ? update.value : new Map()
  const after = await ifPresent(() => ctx.call('docker.inspect_image', [full]))
  if ('refusal' in after) {
    return report(shown, false, `Failed to inspect image '${full}' after it was ${action}: ${after.refusal}`, changes)
  }
  if (!truthy(changes)) return report(shown, true, `Image '${name}' was ${action}, but there were no changes`)
  return report(shown, true, `Image '${full}' was ${action}`, changes)
}

async function absent(ctx: StateContext, name: Value, images: Value, force: boolean): Promise<StateReturn> {
  if (!truthy(name) && !truthy(images)) return report(name, false, "One of 'name' and 'images' must be provided")
  const targets = images === null ? [name] : [...(images as Value[])]
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
  const errors = (result.get('Errors') ?? []) as Value[]
  const why =
    errors.length > 0 ? `. The following errors were encountered: ${errors.map((each) => str(each)).join('; ')}` : ''
  return report(name, false, `None of the specified images were removed${why}`)
}

const optional = (doc: string) => arg.any(doc, { optional: true })

const args = {
  name: arg.any('The name of the image'),
  tag: optional('Its tag'),
  build: optional('The directory it is built from'),
  load: optional('The file it is loaded from'),
  force: arg.flag('Whether it is brought again', { default: false }),
  insecure_registry: arg.any('Accepted, and left to the daemon', { default: false }),
  client_timeout: arg.any('Accepted', { default: 60 }),
  dockerfile: optional('The file that says how it is built'),
  sls: optional('States it is built from'),
  base: arg.any('The image such a build begins with', { default: 'opensuse/python' }),
  saltenv: arg.any('The environment of such states', { default: 'base' }),
  pillarenv: optional('The environment of their pillar'),
  pillar: optional('Their pillar'),
  kwargs: arg.open('kwargs: further arguments of docker.build'),
}

/** `kwargs` may itself be among the keywords. */
const unpacked = ({ kwargs, ...given }: Given & { kwargs: Map<string, Value> }): Given => ({
  ...given,
  kwargs: kwargs.get('kwargs') ?? null,
})

export default defineState({
  name: 'docker_image',
  doc: 'Keep images of Docker.',
  when: whenDocker,
  functions: {
    present: state({
      doc: 'An image is there.',
      args,
      run: (ctx, given) => present(ctx, unpacked(given as unknown as Given & { kwargs: Map<string, Value> })),
    }),
    absent: state({
      doc: 'Images are not there.',
      args: {
        name: optional('The image'),
        images: optional('Several images instead'),
        force: arg.flag('Whether they are removed even when in use', { default: false }),
      },
      run: (ctx, { name, images, force }) => absent(ctx, name, images, force),
    }),
    mod_watch: state({
      doc: 'Brings an image again when what it watches has changed.',
      args: { ...args, sfun: optional('The state that watches') },
      run: (ctx, given) => {
        const own = unpacked(given as unknown as Given & { kwargs: Map<string, Value> })
        if (own['sfun'] === 'present') return present(ctx, { ...own, force: true })
        return report(own['name']!, false, `watch requisite is not implemented for ${str(own['sfun']!)}`)
      },
    }),
  },
})
