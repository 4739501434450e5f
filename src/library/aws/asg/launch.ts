// The parameters of a launch configuration, which the function and the state that make one share.
import { arg } from '../../../sdk/mod.ts'

export const LAUNCH = {
  name: arg.text('Name of the launch configuration'),
  image_id: arg.text('Id of the image'),
  key_name: arg.text('Name of the key pair that may sign in', { optional: true }),
  vpc_id: arg.text('Id of the network that security groups are looked up in', { optional: true }),
  vpc_name: arg.text('Name of that network', { optional: true }),
  security_groups: arg.any('Security groups by id, or by name with a network; a list or JSON of one', {
    optional: true,
  }),
}

export const LAUNCH_SETTINGS = {
  user_data: arg.text('Text that machines get to read', { optional: true, secret: true }),
  instance_type: arg.text('Type of the machines', { default: 'm1.small' }),
  kernel_id: arg.text('Id of the kernel', { optional: true }),
  ramdisk_id: arg.text('Id of the RAM disk', { optional: true }),
  block_device_mappings: arg.any(
    'Disks: a list of dicts by device, each with `size`, `volume_type`, `iops`, `encrypted`, `snapshot_id` and `delete_on_termination`',
    { optional: true },
  ),
  instance_monitoring: arg.flag('Whether machines are watched in detail', { default: false }),
  spot_price: arg.textOrNumber('The most to pay for an hour of a spot machine', { optional: true }),
  instance_profile_name: arg.text('Instance profile of the machines', { optional: true }),
  ebs_optimized: arg.flag('Whether machines are optimized for EBS', { default: false }),
  associate_public_ip_address: arg.boolean('Whether machines get a public address', { optional: true }),
}
