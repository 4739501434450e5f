// Launch configurations as states.
import { misuse, truthy } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  type StateContext,
  settled,
  state,
} from '../../../sdk/mod.ts'
import { askerOf } from '../common/ask.ts'
import { LOGIN } from '../common/login.ts'
import { LAUNCH, LAUNCH_SETTINGS } from './launch.ts'

const ask = askerOf('boto_asg')

const PRESENT = {
  ...LAUNCH,
  user_data: LAUNCH_SETTINGS.user_data,
  cloud_init: arg.dict(
    'Instructions for cloud-init, in place of `user_data`: `boothooks`, `scripts` and `cloud-config`',
    {
      optional: true,
      secret: true,
    },
  ),
  instance_type: LAUNCH_SETTINGS.instance_type,
  kernel_id: LAUNCH_SETTINGS.kernel_id,
  ramdisk_id: LAUNCH_SETTINGS.ramdisk_id,
  block_device_mappings: LAUNCH_SETTINGS.block_device_mappings,
  delete_on_termination: arg.any('Not looked at: give it for each disk', { optional: true }),
  instance_monitoring: LAUNCH_SETTINGS.instance_monitoring,
  spot_price: LAUNCH_SETTINGS.spot_price,
  instance_profile_name: LAUNCH_SETTINGS.instance_profile_name,
  ebs_optimized: LAUNCH_SETTINGS.ebs_optimized,
  associate_public_ip_address: LAUNCH_SETTINGS.associate_public_ip_address,
  ...LOGIN,
}

async function create(ctx: StateContext, { cloud_init, region, key, keyid, profile, ...given }: Bound<typeof PRESENT>) {
  const user_data =
    cloud_init === null ? given.user_data : await ctx.call('boto_asg.get_cloud_init_mime', [], { cloud_init })
  return ask(ctx, 'create_launch_configuration', { region, key, keyid, profile }, { ...given, user_data })
}

export default defineState({
  name: 'boto_lc',
  doc: 'Manage launch configurations of Auto Scaling groups.',
  functions: {
    present: state({
      doc: 'Ensure that a launch configuration exists. AWS does not change the settings of one that exists.',
      args: PRESENT,
      run: (ctx, given) => {
        const { name, user_data, cloud_init } = given
        if (user_data && cloud_init) throw misuse('user_data and cloud_init are mutually exclusive options.')
        return ensure(ctx, {
          name,
          look: async () =>
            truthy(await ask(ctx, 'launch_configuration_exists', given, { name }))
              ? settled('Launch configuration present.')
              : 'missing',
          foresee: () => 'Launch configuration set to be created.',
          act: async () =>
            truthy(await create(ctx, given))
              ? changed('', { old: null, new: name })
              : failed('Failed to create launch configuration.'),
        })
      },
    }),
    absent: state({
      doc: 'Ensure that a launch configuration does not exist.',
      args: { name: LAUNCH.name, ...LOGIN },
      run: (ctx, { name, ...login }) =>
        ensure(ctx, {
          name,
          look: async () =>
            truthy(await ask(ctx, 'launch_configuration_exists', login, { name }))
              ? 'there'
              : settled('Launch configuration does not exist.'),
          foresee: () => 'Launch configuration set to be deleted.',
          act: async () =>
            truthy(await ask(ctx, 'delete_launch_configuration', login, { name }))
              ? changed('Deleted launch configuration.', { old: name, new: null })
              : failed('Failed to delete launch configuration.'),
        }),
    }),
  },
})
