print("pushbench")
