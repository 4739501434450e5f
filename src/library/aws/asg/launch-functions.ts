// Functions about launch configurations, from which the machines of an Auto Scaling group are created.
import { type Dict, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import { arg, changes, reads, ret } from '../../../sdk/mod.ts'
import type { AwsAnswer } from '../common/answer.ts'
import type { AwsCaller } from '../common/caller.ts'
import { deviceOf } from '../common/ec2.ts'
import { isAccepted } from '../common/errors.ts'
import type { Parameters } from '../common/form.ts'
import { LOGIN, loginOf } from '../common/login.ts'
import { dictOf, dictsOf, textsOf } from '../common/structured.ts'
import { cloudInitMime } from './cloud-init.ts'
import { rowsOf, scalingOf } from './group.ts'
import { LAUNCH, LAUNCH_SETTINGS } from './launch.ts'

const NAMED = { name: LAUNCH.name, ...LOGIN }

const configurations = (scaling: AwsCaller, names: readonly string[] = []): Promise<AwsAnswer[]> =>
  rowsOf(scaling, 'DescribeLaunchConfigurations', 'LaunchConfigurations', { LaunchConfigurationNames: names })

function deviceShown(row: AwsAnswer): [Value, Value] {
  const device = new Map<Value, Value>([
    ['snapshot_id', row.text('Ebs.SnapshotId')],
    ['size', row.number('Ebs.VolumeSize')],
    ['volume_type', row.text('Ebs.VolumeType')],
    ['iops', row.number('Ebs.Iops')],
    ['encrypted', row.at('Ebs.Encrypted') ? row.flag('Ebs.Encrypted') : null],
    ['delete_on_termination', row.at('Ebs.DeleteOnTermination') ? row.flag('Ebs.DeleteOnTermination') : null],
    ['ephemeral_name', row.text('VirtualName')],
  ])
  return [row.text('DeviceName'), device]
}

const shown = (row: AwsAnswer): Dict =>
  new Map<Value, Value>([
    ['name', row.text('LaunchConfigurationName')],
    ['image_id', row.text('ImageId')],
    ['key_name', row.text('KeyName')],
    ['security_groups', row.texts('SecurityGroups')],
    ['instance_type', row.text('InstanceType')],
    ['kernel_id', row.text('KernelId')],
    ['ramdisk_id', row.text('RamdiskId')],
    ['block_device_mappings', new Map(row.rows('BlockDeviceMappings').map(deviceShown))],
    ['instance_monitoring', row.flag('InstanceMonitoring.Enabled')],
    ['spot_price', row.text('SpotPrice')],
    ['instance_profile_name', row.text('IamInstanceProfile')],
    ['ebs_optimized', row.flag('EbsOptimized')],
    ['associate_public_ip_address', row.flag('AssociatePublicIpAddress')],
    ['launch_configuration_arn', row.text('LaunchConfigurationARN')],
    ['created_time', row.text('CreatedTime')],
  ])

/** Return disks as parameters: a list of dicts by the names of devices. */
function devicesOf(given: Value): Parameters[] {
  const dicts = isDict(given) ? [given] : dictsOf('block_device_mappings', given)
  return dicts.flatMap((devices) =>
    [...devices].map(([name, facts]) => {
      if (!isDict(facts)) throw misuse(`The disk '${str(name)}' of 'block_device_mappings' must be a dict`)
      return deviceOf(str(name), facts, null)
    }),
  )
}

export const launchFunctions = {
  get_cloud_init_mime: reads({
    doc: 'Return instructions for cloud-init as one MIME document.',
    example: `boto_asg.get_cloud_init_mime '{"scripts": {"hello.sh": "#!/bin/sh\\necho hello"}}'`,
    args: {
      cloud_init: arg.any('Dict with `boothooks` and `scripts` (texts by name) and `cloud-config`, or JSON of it'),
    },
    returns: ret.string('The document'),
    run: (_ctx, { cloud_init }) => cloudInitMime(dictOf('cloud_init', cloud_init)),
  }),
  launch_configuration_exists: reads({
    doc: 'Return whether a launch configuration exists.',
    example: 'boto_asg.launch_configuration_exists mylc',
    args: NAMED,
    returns: ret.boolean('Whether it exists'),
    run: async (ctx, { name, ...login }) => (await configurations(scalingOf(ctx, login), [name])).length > 0,
  }),
  get_all_launch_configurations: reads({
    doc: 'Return all launch configurations.',
    example: 'boto_asg.get_all_launch_configurations',
    args: LOGIN,
    returns: ret.dicts('`name`, `image_id` and others of each, without user data'),
    run: async (ctx, login) => (await configurations(scalingOf(ctx, login))).map(shown),
  }),
  list_launch_configurations: reads({
    doc: 'Return the names of all launch configurations.',
    example: 'boto_asg.list_launch_configurations',
    args: LOGIN,
    returns: ret.texts('Names'),
    run: async (ctx, login) =>
      (await configurations(scalingOf(ctx, login))).map((row) => row.text('LaunchConfigurationName') ?? ''),
  }),
  describe_launch_configuration: reads({
    doc: 'Return a launch configuration.',
    example: 'boto_asg.describe_launch_configuration mylc',
    args: NAMED,
    returns: ret.optional(ret.dict('`name`, `image_id` and others, without user data')),
    run: async (ctx, { name, ...login }) => {
      const [row] = await configurations(scalingOf(ctx, login), [name])
      return row === undefined ? null : shown(row)
    },
  }),
  create_launch_configuration: changes({
    doc: 'Create a launch configuration.',
    example: `boto_asg.create_launch_configuration mylc image_id=ami-0b9c9f62 key_name=mykey security_groups='["mygroup"]'`,
    args: {
      ...LAUNCH,
      user_data: LAUNCH_SETTINGS.user_data,
      instance_type: LAUNCH_SETTINGS.instance_type,
      kernel_id: LAUNCH_SETTINGS.kernel_id,
      ramdisk_id: LAUNCH_SETTINGS.ramdisk_id,
      block_device_mappings: LAUNCH_SETTINGS.block_device_mappings,
      instance_monitoring: LAUNCH_SETTINGS.instance_monitoring,
      spot_price: LAUNCH_SETTINGS.spot_price,
      instance_profile_name: LAUNCH_SETTINGS.instance_profile_name,
      ebs_optimized: LAUNCH_SETTINGS.ebs_optimized,
      associate_public_ip_address: LAUNCH_SETTINGS.associate_public_ip_address,
      volume_type: arg.text('Not looked at: give it for each disk', { optional: true }),
      delete_on_termination: arg.any('Not looked at: give it for each disk', { default: true }),
      iops: arg.any('Not looked at: give it for each disk', { optional: true }),
      use_block_device_types: arg.any('Not looked at', { default: false }),
      ...LOGIN,
    },
    returns: ret.boolean('Whether it was created'),
    run: async (ctx, { name, security_groups, vpc_id, vpc_name, user_data, ...given }) => {
      let groups = textsOf('security_groups', security_groups)
      if (groups.length > 0 && (vpc_id || vpc_name)) {
        const network = { groups, vpc_id, vpc_name, ...loginOf(given) }
        groups = await ctx.call('boto_secgroup.convert_to_group_ids', [], network)
      }
      const parameters = {
        LaunchConfigurationName: name,
        ImageId: given.image_id,
        KeyName: given.key_name,
        SecurityGroups: groups,
        UserData: user_data ? Buffer.from(user_data).toString('base64') : null,
        InstanceType: given.instance_type,
        KernelId: given.kernel_id || null,
        RamdiskId: given.ramdisk_id || null,
        BlockDeviceMappings: devicesOf(given.block_device_mappings),
        InstanceMonitoring: { Enabled: given.instance_monitoring },
        SpotPrice: given.spot_price === null ? null : str(given.spot_price),
        IamInstanceProfile: given.instance_profile_name,
        EbsOptimized: given.ebs_optimized || null,
        AssociatePublicIpAddress: given.associate_public_ip_address,
      }
      return isAccepted(ctx, scalingOf(ctx, given).query('CreateLaunchConfiguration', parameters))
    },
  }),
  delete_launch_configuration: changes({
    doc: 'Delete a launch configuration.',
    example: 'boto_asg.delete_launch_configuration mylc',
    args: NAMED,
    returns: ret.boolean('Whether it was deleted'),
    run: (ctx, { name, ...login }) => {
      const gone = scalingOf(ctx, login).query('DeleteLaunchConfiguration', { LaunchConfigurationName: name })
      return isAccepted(ctx, gone)
    },
  }),
}
