// The parameters of a target group, which the function and the state that make one share.
import { arg } from '../../../sdk/mod.ts'

export const TARGET_GROUP = {
  name: arg.text('Name of the target group'),
  protocol: arg.text('Protocol to the targets, such as `HTTP`'),
  port: arg.count('Port of the targets'),
  vpc_id: arg.text('Id of the network'),
}

export const HEALTH_CHECK = {
  health_check_protocol: arg.text('Protocol of health checks', { default: 'HTTP' }),
  health_check_port: arg.text('Port of health checks', { default: 'traffic-port' }),
  health_check_path: arg.text('Path of health checks', { default: '/' }),
  health_check_interval_seconds: arg.count('Seconds between health checks', { default: 30 }),
  health_check_timeout_seconds: arg.count('Seconds until a health check fails', { default: 5 }),
  healthy_threshold_count: arg.count('Good checks until a target is healthy', { default: 5 }),
  unhealthy_threshold_count: arg.count('Failed checks until a target is not healthy', { default: 2 }),
}
