// Schedules: when jobs are due, and the requests that change them. Used by minions and masters.
export { diskKeeper } from './keeper.ts'
export { manageSchedule, type ScheduleAnswer } from './managing.ts'
export { asctime, metadataOf } from './metadata.ts'
export { Schedule, type ScheduleKeeper, type ScheduleOptions } from './schedule.ts'
