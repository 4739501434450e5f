import { Empty, View } from '../ui/basic.tsx'

export default function Schedules() {
  return (
    <View title="Schedules">
      <Empty title="Schedules" />
    </View>
  )
}
