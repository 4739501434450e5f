// Images of EC2.
import { str, type Value } from '../../../data/mod.ts'
import { arg, changes, reads, ret } from '../../../sdk/mod.ts'
import { EC2_PAGES, filtersOf, tagFilters } from '../common/ec2.ts'
import { unlessFault } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { ec2Of, findMachines, SEARCH } from './machines.ts'

export const imageFunctions = {
  find_images: reads({
    doc: 'Return the ids of images that match.',
    example: "boto_ec2.find_images tags='{team: web}'",
    args: {
      ami_name: arg.text('Name of the image', { optional: true }),
      executable_by: arg.text('Account that may run it', { optional: true }),
      owners: arg.textOrList('Accounts that own it', { optional: true }),
      image_ids: arg.textOrList('Ids of images', { optional: true }),
      tags: SEARCH.tags,
      ...LOGIN,
      return_objs: arg.flag('Whether to return dicts in place of ids', { default: false }),
    },
    returns: ret.any('A list of ids, or of dicts'),
    run: async (ctx, { ami_name, executable_by, owners, image_ids, tags, return_objs, ...login }): Promise<Value> => {
      const filters: [Value, Value][] = tagFilters(tags ?? new Map())
      if (ami_name) filters.push(['name', ami_name])
      const listed = (value: string | Value[] | null) => (value === null ? [] : [value].flat().map(str))
      const parameters = {
        ...filtersOf(filters),
        ExecutableBy: executable_by === null ? [] : [executable_by],
        Owner: listed(owners),
        ImageId: listed(image_ids),
      }
      const rows = await ec2Of(ctx, login).rows('DescribeImages', parameters, 'imagesSet', EC2_PAGES)
      if (!return_objs) return rows.map((row) => row.text('imageId') ?? '')
      return rows.map(
        (row): Value =>
          new Map<Value, Value>([
            ['id', row.text('imageId')],
            ['name', row.text('name')],
            ['state', row.text('imageState')],
          ]),
      )
    },
  }),
  create_image: changes({
    doc: 'Create an image of a machine.',
    example: 'boto_ec2.create_image web-2024 instance_name=web1',
    args: {
      ami_name: arg.text('Name of the image'),
      instance_id: arg.text('Id of the machine', { optional: true }),
      instance_name: arg.text('Name of the machine', { optional: true }),
      tags: SEARCH.tags,
      ...LOGIN,
      description: arg.text('Description', { optional: true }),
      no_reboot: arg.flag('Whether the machine goes on without a reboot', { default: false }),
      dry_run: arg.flag('Only ask whether this key may do it', { default: false }),
      filters: SEARCH.filters,
    },
    returns: ret.orFalse(ret.string('The id of the image')),
    run: async (ctx, { ami_name, instance_id, instance_name, tags, description, no_reboot, dry_run, ...rest }) => {
      const found = await findMachines(ctx, { instance_id, name: instance_name, tags, ...rest })
      if (found.length !== 1) {
        ctx.log('error', `${found.length} machines match, and not one, to create the image ${ami_name} of`)
        return false
      }
      const made = ec2Of(ctx, rest).query('CreateImage', {
        InstanceId: found[0]!.text('instanceId'),
        Name: ami_name,
        Description: description,
        NoReboot: no_reboot || null,
        DryRun: dry_run || null,
      })
      return unlessFault(
        made.then((answer): string | false => answer.text('imageId') ?? false),
        (error): string | false => {
          ctx.log('error', error.message)
          return false
        },
      )
    },
  }),
}
