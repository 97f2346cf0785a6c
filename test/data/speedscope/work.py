import time,threading
def fib(n): return n if n<2 else fib(n-1)+fib(n-2)
def sort():
    x=[(i*7919)%100003 for i in range(60000)]
    x.sort(); return x
def spin(sec):
    t=time.time()
    while time.time()-t<sec:
        fib(15); sort()
th=threading.Thread(target=spin,args=(1,),name="worker"); th.start()
spin(1); th.join()
