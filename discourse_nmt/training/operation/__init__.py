"""The operation of a training: its start on nodes, signals, memory plan and progress; nothing here changes a weight."""
