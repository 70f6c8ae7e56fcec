import type { TaskGroup } from './task-group.ts'

type Disconnecting = Pick<TaskGroup, 'Disconnect' | 'MaxClientDisconnect'>

/** How many nanoseconds a group's allocations may be disconnected; `undefined` if they are lost immediately. */
export const lostAfter = ({ Disconnect, MaxClientDisconnect }: Disconnecting): number | undefined =>
  MaxClientDisconnect ?? (Disconnect?.LostAfter || undefined)

/** How many nanoseconds a group's allocations may continue after they are lost, until their agent stops them. */
export const stopsAfter = ({
  Disconnect,
  StopAfterClientDisconnect,
}: Pick<TaskGroup, 'Disconnect' | 'StopAfterClientDisconnect'>): number =>
  Disconnect?.StopOnClientAfter ?? StopAfterClientDisconnect ?? 0

/** Whether disconnected allocations of a group are replaced until they return; the default. */
export const replacesDisconnected = ({ Disconnect, MaxClientDisconnect }: Disconnecting): boolean =>
  lostAfter({ Disconnect, MaxClientDisconnect }) !== undefined && Disconnect?.Replace !== false
