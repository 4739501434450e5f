// Functions on images: fetching, building, tagging, saving and removing them.
import { type Dict, isDict, str, truthy } from '../../../../data/mod.ts'
import { arg, changes, ret } from '../../../../sdk/mod.ts'
import { asking, changing, flag, further, name, optional, text, value } from './arguments.ts'
import { docker, inspect, jsonLines, lines, said } from './cli.ts'
import * as image from './images.ts'

export const pictures = {
  images: asking(
    'Images by ID.',
    { verbose: flag('Whether all is told'), kwargs: further('all: untagged ones too') },
    'images',
    (ctx, _given, kwargs) => image.images(ctx, truthy(kwargs.get('all') ?? null)),
  ),
  list_tags: asking('The tags of images.', {}, 'list_tags', (ctx) => image.tags(ctx), ret.texts('The tags, sorted')),
  inspect_image: asking('All that is known of an image.', { name }, 'inspect_image nginx', (ctx, given) =>
    inspect(ctx, 'image', value(given, 'name')),
  ),
  resolve_image_id: asking('The ID of an image, or false.', { name }, 'resolve_image_id nginx', (ctx, given) =>
    image.resolveId(ctx, value(given, 'name')),
  ),
  resolve_tag: asking(
    'The tag of an image, or false.',
    { name, kwargs: further('all: every tag') },
    'resolve_tag nginx',
    (ctx, given, kwargs) => image.resolveTag(ctx, value(given, 'name'), truthy(kwargs.get('all') ?? null)),
  ),
  history: asking(
    'The layers of an image.',
    { name, quiet: flag('Only the commands') },
    'history nginx',
    async (ctx, given) => {
      const rows = await jsonLines(ctx, 'history', '--no-trunc', text(given, 'name'))
      return truthy(value(given, 'quiet')) ? rows.map((row) => row.get('CreatedBy')!) : rows
    },
  ),
  pull: changing(
    'Fetch an image.',
    {
      image: arg.any('The image'),
      insecure_registry: flag('Accepted, and left to the daemon'),
      api_response: flag('Accepted'),
      client_timeout: arg.any('Accepted', { default: 60 }),
    },
    'pull nginx:latest',
    (ctx, given) => image.pull(ctx, value(given, 'image')),
  ),
  push: changing(
    'Send an image to its registry.',
    {
      image: arg.any('The image'),
      insecure_registry: flag('Accepted'),
      api_response: flag('Accepted'),
      client_timeout: arg.any('Accepted', { default: 60 }),
    },
    'push registry/app',
    async (ctx, given) => ({
      Status: (await lines(ctx, 'push', text(given, 'image'))).at(-1) ?? '',
      retcode: 0,
    }),
  ),
  tag: changing(
    'Give an image a further name.',
    {
      name,
      repository: arg.any('The repository'),
      tag: arg.any('The tag', { default: 'latest' }),
      force: flag('Accepted'),
    },
    'tag 0123456789ab myrepo/mycontainer',
    async (ctx, given) => {
      await docker(ctx, ['tag', text(given, 'name'), `${text(given, 'repository')}:${text(given, 'tag')}`])
      return true
    },
  ),
  rmi: changes({
    doc: 'Remove images.',
    args: { names: arg.rest('The images'), kwargs: arg.open('force') },
    returns: ret.dict('`Layers` and `Tags` that are gone'),
    example: 'docker.rmi nginx',
    run: (ctx, { names, kwargs }) => image.removeImages(ctx, names, truthy(kwargs.get('force') ?? null)),
  }),
  build: changing(
    'Build an image.',
    {
      path: optional('The directory'),
      repository: optional('The name'),
      tag: optional('The tag'),
      cache: flag('Whether layers are reused', true),
      rm: flag('Accepted', true),
      api_response: flag('Accepted'),
      fileobj: optional('Accepted'),
      dockerfile: optional('The file that says how'),
      buildargs: optional('Arguments of the build'),
      network_mode: optional('The network of the build'),
      labels: optional('Labels'),
      cache_from: optional('Images whose layers are reused'),
      target: optional('The stage'),
    },
    'build /path/to/build/dir repository=app tag=1',
    async (ctx, given) => {
      const full = `${text(given, 'repository')}:${text(given, 'tag')}`
      const pairs = isDict(value(given, 'buildargs')) ? [...(value(given, 'buildargs') as Dict)] : []
      const flags = [
        ...(value(given, 'repository') === null ? [] : [`--tag=${full}`]),
        ...(truthy(value(given, 'cache')) ? [] : ['--no-cache']),
        ...(value(given, 'dockerfile') === null ? [] : [`--file=${text(given, 'path')}/${text(given, 'dockerfile')}`]),
        ...(value(given, 'network_mode') === null ? [] : [`--network=${text(given, 'network_mode')}`]),
        ...(value(given, 'target') === null ? [] : [`--target=${text(given, 'target')}`]),
        ...pairs.map(([key, inner]) => `--build-arg=${str(key)}=${str(inner)}`),
      ]
      const id = str(
        await image.resolveId(
          ctx,
          (await said(ctx, 'build', '--quiet', ...flags, text(given, 'path'))).split('\n').at(-1)!,
        ),
      )
      return { Id: id.replace(/^sha256:/, '').slice(0, 12), Image: value(given, 'repository') === null ? id : full }
    },
  ),
  load: changing(
    'Load images from a file.',
    { path: arg.any('The file'), repository: optional('A name for it'), tag: optional('A tag for it') },
    'load /tmp/app.tar',
    async (ctx, given) => {
      const told = await lines(ctx, 'load', `--input=${text(given, 'path')}`)
      const loaded = told
        .map((line) => /^Loaded image(?: ID)?: (.*)$/.exec(line)?.[1])
        .filter((each) => each !== undefined)
      const full =
        value(given, 'repository') === null
          ? undefined
          : `${text(given, 'repository')}:${str(value(given, 'tag') ?? 'latest')}`
      if (full !== undefined && loaded[0] !== undefined && loaded[0] !== full)
        await docker(ctx, ['tag', loaded[0], full])
      return { Path: value(given, 'path'), Layers: loaded, Image: full ?? loaded[0] ?? '' }
    },
  ),
  save: changing(
    'Save an image in a file.',
    { name, path: arg.any('The file') },
    'save app /tmp/app.tar',
    async (ctx, given) => {
      await docker(ctx, ['save', `--output=${text(given, 'path')}`, text(given, 'name')])
      return { Path: value(given, 'path'), Size: (await ctx.host.stat(text(given, 'path')))?.size ?? 0 }
    },
  ),
  commit: changing(
    'Make an image of a container.',
    {
      name,
      repository: arg.any('The name'),
      tag: arg.any('The tag', { default: 'latest' }),
      message: optional('A message'),
      author: optional('Who made it'),
    },
    'commit web app 1',
    async (ctx, given) => {
      const full = `${text(given, 'repository')}:${text(given, 'tag')}`
      const notes = ['message', 'author'].flatMap((key) =>
        value(given, key) === null ? [] : [`--${key}=${text(given, key)}`],
      )
      return {
        Id: (await said(ctx, 'commit', ...notes, text(given, 'name'), full)).replace(/^sha256:/, ''),
        Image: full,
      }
    },
  ),
}
