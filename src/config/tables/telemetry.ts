// Traces and numbers about the daemons.
import { float } from '../../data/mod.ts'
import type { OptionTable } from '../option.ts'

export const TELEMETRY = {
  tracing: {
    type: 'dict',
    both: {
      enabled: false,
      exporter: 'otlp-http',
      endpoint: '',
      service_name: '',
      sampler: 'parent_based',
      sampler_arg: float(1),
      resource_attributes: {},
      insecure: true,
      headers: {},
    },
    doc: 'Spans of jobs, requests and reactions: where they are sent, and which (docs/monitoring.md)',
  },
  metrics: {
    type: 'dict',
    both: {
      enabled: false,
      exporter: 'otlp-http',
      endpoint: '',
      service_name: '',
      resource_attributes: {},
      insecure: true,
      headers: {},
      export_interval_seconds: 60,
      prometheus: { host: '127.0.0.1', port: 9464 },
      histogram_boundaries: {
        'salt.job.duration': [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000],
        'salt.minion.exec.duration': [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000],
        'salt.master.requests.duration': [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000],
      },
    },
    doc: 'Metrics of the daemon: how they are shown or sent (docs/monitoring.md). With minion_labels, a master also shows for each minion whether it is connected',
  },
} satisfies OptionTable
